// Report pages that somebody opens or drops on this one. They are read here and go nowhere.
import {el} from './dom';

export function askForFile(use: (file: File) => void): void {
  const input = el('input', {type: 'file', accept: '.html,.json', class: 'file', 'aria-label': 'Report page to compare with', change: () => {
    const file = input.files?.[0];
    input.remove();
    if (file) use(file);
  }, cancel: () => input.remove()});
  document.querySelectorAll('input.file').forEach(old => old.remove());
  document.body.append(input);
  input.click();
}

export function takeDrops(use: (file: File) => void): void {
  const holdsFile = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;
  const mark = (on: boolean): void => void document.body.classList.toggle('dropping', on);
  document.addEventListener('dragover', event => {
    if (!holdsFile(event)) return;
    event.preventDefault();
    mark(true);
  });
  document.addEventListener('dragleave', event => { if (event.relatedTarget === null) mark(false); });
  document.addEventListener('drop', event => {
    mark(false);
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    use(file);
  });
}
