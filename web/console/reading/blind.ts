/**
 * Reading blind: without the name, the contact and the files of the candidate. It is remembered on this device, and
 * the server knows nothing of it. Words that a candidate says about themselves stay: only the name and the contact
 * are covered in the transcript, in the form in which they were given.
 */
import { useSyncExternalStore } from 'react';
import { keep, kept } from '../../src/console/kept';

const KEY = 'colloquy.blind';
const listeners = new Set<() => void>();

function isBlind(): boolean {
  return kept(KEY) === 'on';
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useBlind(): { isBlind: boolean; toggle: () => void } {
  const now = useSyncExternalStore(subscribe, isBlind);
  const toggle = (): void => {
    keep(KEY, now ? 'off' : 'on');
    for (const listener of listeners) listener();
  };
  return { isBlind: now, toggle };
}

/** What stands in place of a name: the end of the interview's id, which the address shows as well. */
export function signOf(id: string): string {
  return id.slice(-4).toUpperCase();
}

interface Person {
  readonly name: string | null;
  readonly contact: string | null;
}

/** A part of a name that is shorter is as likely another word. */
const SHORTEST = 3;

/** The vowel or sign at the end of a Russian word, which its cases change. */
const LAST = /[аеиоуыьйя]$/iu;

/**
 * Covers the name and the contact in a text by as many dots, so that places in it stay what they are. Of a name each
 * word alone, also with the ending of a Russian case.
 */
export function covered(text: string, { name, contact }: Person): string {
  const parts = [
    contact ?? '',
    ...(contact ?? '').split(/[\s,;]+/).filter((part) => part.includes('@')),
    ...(name ?? '').split(/[\s.,]+/),
  ].filter((part) => part.length >= SHORTEST);
  return parts.reduce((left, part) => {
    const isRussian = /^\p{Script=Cyrillic}{4,}$/u.test(part);
    const stem = isRussian ? part.replace(LAST, '') : part;
    const ending = isRussian ? '\\p{L}{0,2}' : '';
    const pattern = `(?<![\\p{L}\\p{N}])${escaped(stem)}${ending}(?![\\p{L}\\p{N}])`;
    return left.replace(new RegExp(pattern, 'giu'), (found) => '•'.repeat(found.length));
  }, text);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
