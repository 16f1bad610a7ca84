// A result that the program has put into the page (app/pages/what_if.cpp): what it is of, and how it was computed.
export interface Start {
  name: string; // of the model file
  title: string;
  text: string;
  what: 'modes' | 'motion' | 'linear' | 'map';
  settings: unknown; // of that question
  sliders: string[]; // paths of numbers; none: the page chooses
  report: string; // data of the report page
}

export function startOf(page: Document): Start | null {
  const text = page.getElementById('part-start')?.textContent ?? '';
  return text.trim() ? (JSON.parse(text) as Start) : null;
}
