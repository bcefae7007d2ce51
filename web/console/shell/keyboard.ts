/**
 * The console's keyboard: single keys, and `g` with a letter after it. Letters are found by their place too, so that
 * they work in a Russian layout.
 */
import { useEffect, useRef } from 'react';

/** `false`: the key meant nothing this time, so the browser has it. */
type Bindings = Readonly<Record<string, () => unknown>>;

/** As long as this after `g`, a letter goes to a place. */
const PREFIX_MS = 1500;

interface Press {
  readonly key: string;
  readonly code: string;
  readonly shiftKey: boolean;
  readonly timeStamp: number;
}

export class Keyboard {
  private readonly layers = new Set<{ readonly current: Bindings }>();
  private prefixAt: number | null = null;

  bind(layer: { readonly current: Bindings }): () => void {
    this.layers.add(layer);
    return () => this.layers.delete(layer);
  }

  /** Whether the press meant something. Where two parts of the page bind the same key, the later one has it. */
  press(press: Press): boolean {
    const key = keyOf(press);
    const { prefixAt } = this;
    this.prefixAt = null;
    if (prefixAt !== null && press.timeStamp - prefixAt <= PREFIX_MS) return this.run(`g ${key}`);
    if (key === 'g') {
      this.prefixAt = press.timeStamp;
      return true;
    }
    return this.run(key);
  }

  private run(key: string): boolean {
    const action = [...this.layers].findLast(({ current }) => key in current)?.current[key];
    return action !== undefined && action() !== false;
  }
}

/** `g`, `?`, `/`, `ArrowDown` …: as an English layout has it, where the layout has other letters. */
export function keyOf({ key, code, shiftKey }: Pick<Press, 'key' | 'code' | 'shiftKey'>): string {
  if (key === '?' || key === '/') return key;
  if (/^[a-z]$/i.test(key)) return key.toLowerCase();
  if (code === 'Slash') return shiftKey ? '?' : '/';
  return /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase() ?? key;
}

const keyboard = new Keyboard();

/** Keys that work while the component is shown, except in fields and under a dialog. */
export function useKeys(bindings: Bindings): void {
  const layer = useRef(bindings);
  useEffect(() => {
    layer.current = bindings;
  });
  useEffect(() => keyboard.bind(layer), []);
}

/** Called once by the shell. */
export function useKeyboard(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (isMeantElsewhere(event)) return;
      if (keyboard.press(event)) event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, []);
}

const FIELDS = 'input:not([type="radio"], [type="checkbox"]), textarea, select, [contenteditable]';
const OPEN = '[aria-modal="true"], [role="menu"], [role="listbox"]';

function isMeantElsewhere(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing) return true;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const { target } = event;
  if (target instanceof Element && target.closest(FIELDS) !== null) return true;
  return [...document.querySelectorAll(OPEN)].some((one) => one.checkVisibility());
}

/** j, k and the arrows move the focus through the elements that `selector` finds in the container; beyond them the page scrolls. */
export function useListKeys(
  container: { readonly current: HTMLElement | null },
  selector: string,
): void {
  const move = (step: number) => (): boolean => {
    const stops = [...(container.current?.querySelectorAll<HTMLElement>(selector) ?? [])];
    const at = stops.findIndex((one) => one === document.activeElement);
    const next = at < 0 ? (step > 0 ? 0 : stops.length - 1) : at + step;
    const stop = stops[next];
    stop?.focus();
    return stop !== undefined;
  };
  useKeys({ j: move(1), ArrowDown: move(1), k: move(-1), ArrowUp: move(-1) });
}
