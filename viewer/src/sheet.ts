// Several pictures in one, side by side under their names.
import {css} from './dom';

export class Sheet {
  private readonly canvas = document.createElement('canvas');

  compose(pictures: [HTMLCanvasElement, string][]): HTMLCanvasElement {
    // Each view has as many pixels as it can draw in time: here all have as many as the sharpest.
    const {canvas} = this, context = canvas.getContext('2d') as CanvasRenderingContext2D;
    const width = Math.max(...pictures.map(([picture]) => picture.width)), height = Math.max(...pictures.map(([picture]) => picture.height));
    const letters = Math.round(0.028 * Math.min(width, height)), head = 2 * letters, gap = 2;
    canvas.width = pictures.length * (width + gap) - gap;
    canvas.height = head + height;
    context.fillStyle = css('--panel');
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = css('--ink');
    context.font = `600 ${letters}px system-ui, sans-serif`;
    context.textBaseline = 'middle';
    pictures.forEach(([picture, name], k) => {
      const left = k * (width + gap);
      context.fillText(name, left + letters, head / 2, width - 2 * letters);
      context.drawImage(picture, left, head, width, height);
    });
    return canvas;
  }
}
