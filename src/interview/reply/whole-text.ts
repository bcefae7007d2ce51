import { storable } from '../../common/text';

const LAST_HIGH_SURROGATE = /[\uD800-\uDBFF]$/;

/**
 * Text in pieces that were cut anywhere becomes text in whole code points, without what neither
 * PostgreSQL nor a browser can hold (NUL, half a surrogate pair). Holds at most one code unit back.
 */
export class WholeTextReader {
  private held = '';

  push(piece: string): string {
    const text = this.held + piece;
    this.held = LAST_HIGH_SURROGATE.exec(text)?.[0] ?? '';
    return storable(text.slice(0, text.length - this.held.length), '');
  }
}
