/** The text that is not sent yet: kept over reloads; typing is reported at most every two seconds. */
import type { Platform } from '../platform';

const TYPING_INTERVAL_MS = 2_000;

interface DraftPorts extends Pick<Platform, 'nowMs' | 'storage'> {
  onTyping: () => void;
}

export class Draft {
  private readonly key: string;
  private typingSaidAtMs = 0;

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
    if (text === '') this.forget();
    else this.ports.storage.set(this.key, text);
  }

  forget(): void {
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
