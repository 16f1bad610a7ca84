// Several pictures in one, side by side under their names.
import {css} from './dom';

export class Sheet {
  private readonly canvas = document.createElement('canvas');

  compose(pictures: [HTMLCanvasElement, string][]): HTMLCanvasElement {
    const {canvas} = this, context = canvas.getContext('2d') as CanvasRenderingContext2D;
    const letters = Math.round(0.028 * Math.max(...pictures.map(([picture]) => Math.min(picture.width, picture.height)))), head = 2 * letters, gap = 2;
    canvas.width = pictures.reduce((sum, [picture]) => sum + picture.width + gap, -gap);
    canvas.height = head + Math.max(...pictures.map(([picture]) => picture.height));
    context.fillStyle = css('--panel');
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = css('--ink');
    context.font = `600 ${letters}px system-ui, sans-serif`;
    context.textBaseline = 'middle';
    let left = 0;
    for (const [picture, name] of pictures) {
      context.fillText(name, left + letters, head / 2, picture.width - 2 * letters);
      context.drawImage(picture, left, head);
      left += picture.width + gap;
    }
    return canvas;
  }
}
