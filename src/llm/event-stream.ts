import { StringDecoder } from 'node:string_decoder';
import { ModelFailure } from './errors';

/** One event of a stream (WHATWG HTML, server-sent events). */
export interface StreamEvent {
  /** Empty: the server gives it no name. */
  readonly name: string;
  readonly data: string;
}

const BYTE_ORDER_MARK = '\uFEFF';

/** UTF-16 units of one event; more is no event of a completion. */
const MOST_DATA = 1_000_000;

/**
 * Reads server-sent events from bytes, however they are cut. Beyond the standard it reads what model
 * servers send: a last event without its blank line, events with one newline between them, and a body
 * or an error that is JSON without `data:`, as one event. Blocks without data are no events.
 */
export class EventStreamReader {
  /** For one more piece of text, a TextDecoder takes several times as long. */
  private readonly decoder = new StringDecoder('utf8');
  private isBeginning = true;
  private rest = '';
  private name = '';
  private data: string | null = null;
  /** JSON outside of any field; it goes on to the end of the stream. */
  private bare = '';
  /** The last text ended with a carriage return, whose line feed may follow. */
  private endedWithReturn = false;

  /** The events that these bytes complete. Throws ModelFailure when one is too long. */
  push(bytes: Uint8Array): StreamEvent[] {
    const events: StreamEvent[] = [];
    this.read(this.decoder.write(bytes), events);
    if (this.rest.length + (this.data?.length ?? 0) + this.bare.length > MOST_DATA) {
      throw new ModelFailure('malformed');
    }
    return events;
  }

  /** What is left when the stream has ended. */
  end(): StreamEvent[] {
    const events: StreamEvent[] = [];
    this.read(`${this.decoder.end()}\n`, events);
    this.dispatch(events);
    if (this.bare !== '') events.push({ name: '', data: this.bare });
    return events;
  }

  private read(text: string, events: StreamEvent[]): void {
    const isMarked = this.isBeginning && text.startsWith(BYTE_ORDER_MARK);
    if (text !== '') this.isBeginning = false;
    this.readLines(isMarked ? text.slice(1) : text, events);
  }

  private readLines(decoded: string, events: StreamEvent[]): void {
    const isPair = this.endedWithReturn && decoded.startsWith('\n');
    let text = isPair ? decoded.slice(1) : decoded;
    if (decoded !== '') this.endedWithReturn = decoded.endsWith('\r');
    if (text.includes('\r')) text = text.replaceAll(/\r\n?/g, '\n');
    text = this.rest + text;
    let from = 0;
    for (let to = text.indexOf('\n'); to !== -1; to = text.indexOf('\n', from)) {
      this.takeLine(text.slice(from, to), events);
      from = to + 1;
    }
    this.rest = from === 0 ? text : text.slice(from);
  }

  private takeLine(line: string, events: StreamEvent[]): void {
    if (line === '') this.dispatch(events);
    else if (line.startsWith('data:')) this.takeData(line.slice(line[5] === ' ' ? 6 : 5), events);
    else if (line.startsWith('event:')) this.name = line.slice(6).trim();
    else if (this.bare !== '' || line.startsWith('{')) this.bare += `${line}\n`;
  }

  private takeData(value: string, events: StreamEvent[]): void {
    const isNext =
      this.data?.endsWith('}') === true && (value.startsWith('{') || value.startsWith('[DONE]'));
    if (isNext) this.dispatch(events);
    this.data = this.data === null ? value : `${this.data}\n${value}`;
  }

  private dispatch(events: StreamEvent[]): void {
    if (this.data !== null && this.data !== '') events.push({ name: this.name, data: this.data });
    this.name = '';
    this.data = null;
  }
}
