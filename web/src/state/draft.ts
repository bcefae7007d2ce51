/**
 * The text that is not sent yet: kept over reloads; typing is reported at most every two seconds.
 * All tabs of a conversation share one stored text. A tab that is closed stores its own again, because
 * another tab may have emptied it.
 */
import type { Platform } from '../platform';

const TYPING_INTERVAL_MS = 2_000;

interface DraftPorts extends Pick<Platform, 'nowMs' | 'storage'> {
  onTyping: () => void;
}

export class Draft {
  private readonly key: string;
  private typingSaidAtMs = 0;
  /** What was last written in this tab. */
  private own = '';

  constructor(
    conversationId: string,
    private readonly ports: DraftPorts,
  ) {
    this.key = `colloquy.draft.${conversationId}`;
  }

  text(): string {
    return this.ports.storage.get(this.key) ?? '';
  }

  keep(text: string): void {
    this.own = text;
    if (text === '') this.forget();
    else this.ports.storage.set(this.key, text);
  }

  /** Stores what was written in this tab, unless another tab has stored something else. */
  keepOwn(): void {
    if (this.own !== '' && this.text() === '') this.keep(this.own);
  }

  forget(): void {
    this.own = '';
    this.ports.storage.remove(this.key);
  }

  hint(): void {
    const nowMs = this.ports.nowMs();
    if (nowMs - this.typingSaidAtMs < TYPING_INTERVAL_MS) return;
    this.typingSaidAtMs = nowMs;
    this.ports.onTyping();
  }
}

/** The text without characters that the server cannot store. */
export function cleaned(text: string): string {
  return text
    .replaceAll('\0', '')
    .replace(/[\ud800-\udfff]/gu, '\ufffd')
    .trim();
}
