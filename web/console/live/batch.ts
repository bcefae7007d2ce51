/**
 * Gathers what comes in bursts: the first of it is handed on after a moment, and what follows at most once in a while,
 * so that a busy hour costs the page few requests.
 */
import type { Wait } from '../../src/platform';

const FIRST_MS = 150;
const EVERY_MS = 1500;

export class Batch<Item> {
  private items: Item[] = [];
  private cancel: (() => void) | null = null;

  constructor(
    private readonly wait: Wait,
    private readonly take: (items: readonly Item[]) => void,
  ) {}

  add(item: Item): void {
    this.items.push(item);
    this.cancel ??= this.wait(FIRST_MS, () => this.flush());
  }

  /** What is gathered is void. */
  clear(): void {
    this.items = [];
    this.cancel?.();
    this.cancel = null;
  }

  private flush(): void {
    const { items } = this;
    this.items = [];
    this.cancel = null;
    if (items.length === 0) return;
    this.take(items);
    this.cancel = this.wait(EVERY_MS, () => this.flush());
  }
}
