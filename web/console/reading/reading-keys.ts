/**
 * The keys of the page: from one criterion to the next, from a criterion to the passage in the transcript and back.
 * Each key does what a press on the page does; where the focus is says what is meant.
 */
import { useRef } from 'react';
import type { RefObject } from 'react';
import { useKeys } from '../shell/keyboard';

interface ReadingActions {
  /** A passage by its name. */
  play: (passage: string) => boolean;
  previous: (() => void) | null;
  next: (() => void) | null;
  blind: () => void;
}

const STOP = '[data-stop]';
const PASSAGE = 'mark[data-begins]';
/** Where a mark leads on to: the next criterion, and after the last one what others gave. */
const TO_DO = '[data-mark]:not(:disabled), [data-compare]';

export function useReadingKeys(
  page: RefObject<HTMLElement | null>,
  { play, previous, next, blind }: ReadingActions,
): void {
  const lastStop = useRef<HTMLElement | null>(null);
  const all = (selector: string): HTMLElement[] => [
    ...(page.current?.querySelectorAll<HTMLElement>(selector) ?? []),
  ];
  const current = (selector: string): HTMLElement | null =>
    document.activeElement?.closest<HTMLElement>(selector) ?? null;
  const focusOn = (element: HTMLElement | null | undefined): boolean => {
    if (element == null) return false;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: 'center' });
    return true;
  };
  const stop = (): HTMLElement | null => current(STOP);
  const move = (step: number) => (): boolean => {
    if (isChoosing()) return false;
    const selector = current(PASSAGE) === null ? STOP : PASSAGE;
    const stops = all(selector);
    const at = stops.findIndex((one) => one === current(selector));
    return focusOn(at < 0 ? stops[step > 0 ? 0 : stops.length - 1] : stops[at + step]);
  };
  const press = (selector: string, from: Element | null = page.current): boolean => {
    const element = from?.querySelector<HTMLElement>(selector) ?? null;
    if (element === null || element.matches(':disabled, [aria-disabled="true"]')) return false;
    element.click();
    return true;
  };
  const give = (mark: string) => (): boolean => {
    if (!press(`[data-mark="${mark}"]`, stop())) return false;
    const stops = all(STOP);
    const later = stops.slice(stops.findIndex((one) => one === stop()) + 1);
    return focusOn(later.find((one) => one.querySelector(TO_DO) !== null) ?? stop());
  };
  const toPassage = (name: string | undefined): boolean =>
    name !== undefined && focusOn(page.current?.querySelector<HTMLElement>(passageAt(name)));
  const jump = (): boolean => {
    const passage = current(PASSAGE);
    if (passage !== null) {
      const back = lastStop.current;
      return focusOn(
        back?.isConnected === true
          ? back
          : all(STOP).find((one) => one.dataset['question'] === passage.dataset['question']),
      );
    }
    lastStop.current = stop();
    return toPassage(stop()?.dataset['passage']);
  };
  const hear = (): boolean => {
    const passage = current(PASSAGE)?.dataset['begins']?.split(' ')[0];
    const name = passage ?? stop()?.dataset['passage'];
    return name !== undefined && play(name);
  };
  const questionHere = (): string => (stop() ?? current(PASSAGE))?.dataset['question'] ?? '';
  useKeys({
    j: move(1),
    ArrowDown: move(1),
    k: move(-1),
    ArrowUp: move(-1),
    ...Object.fromEntries(['0', '1', '2', '3', '4', '5'].map((mark) => [mark, give(mark)])),
    t: jump,
    p: hear,
    n: () => focusOn(stop()?.querySelector<HTMLElement>('[data-note]')),
    m: () =>
      focusOn(all('[data-comment]').find((one) => one.dataset['comment'] === questionHere())),
    c: () => press('[data-compare]'),
    d: () => focusOn(all('[data-decide]')[0]),
    b: blind,
    l: go(next),
    ArrowRight: go(next),
    h: go(previous),
    ArrowLeft: go(previous),
  });
}

const go = (step: (() => void) | null) => (): boolean => {
  if (isChoosing()) return false;
  step?.();
  return step !== null;
};

/** In a group of radio buttons the arrows choose. */
function isChoosing(): boolean {
  return document.activeElement?.matches('input[type="radio"]') === true;
}

function passageAt(name: string): string {
  return `mark[data-begins~="${name}"]`;
}

/** A press beside the keyboard: goes to the passage, and `t` leads back. */
export function goToPassage(name: string): void {
  const mark = document.querySelector<HTMLElement>(passageAt(name));
  mark?.focus({ preventScroll: true });
  mark?.scrollIntoView({ block: 'center' });
}

/** Escape in a field leads back to what it belongs to, where single keys mean something again. */
export function leaveField(event: {
  key: string;
  currentTarget: HTMLElement;
  preventDefault: () => void;
}): void {
  if (event.key !== 'Escape') return;
  event.preventDefault();
  const field = event.currentTarget;
  const place =
    field.closest<HTMLElement>('[data-stop], section[tabindex]') ??
    field.closest('.question')?.querySelector<HTMLElement>(STOP);
  if (place == null) event.currentTarget.blur();
  else place.focus({ preventScroll: true });
}
