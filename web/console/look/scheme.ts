/**
 * Light or dark: as the system has it, unless somebody chose. The choice stands at the root element, where
 * scheme.css and Mantine's styles read it.
 */
import { useSyncExternalStore } from 'react';
import { keep, kept } from '../../src/console/kept';

const KEY = 'colloquy.scheme';
export const SCHEMES = ['system', 'light', 'dark'] as const;
export type SchemeChoice = (typeof SCHEMES)[number];
type Scheme = Exclude<SchemeChoice, 'system'>;

/** The grounds of tokens.css, for the browser's own bar. */
const PAPER: Readonly<Record<Scheme, string>> = { light: '#f5f2ea', dark: '#161512' };

const listeners = new Set<() => void>();

export function chosenScheme(): SchemeChoice {
  return SCHEMES.find((one) => one === kept(KEY)) ?? 'system';
}

function currentScheme(): Scheme {
  const choice = chosenScheme();
  if (choice !== 'system') return choice;
  return systemIsDark().matches ? 'dark' : 'light';
}

export function chooseScheme(choice: SchemeChoice): void {
  keep(KEY, choice);
  applyScheme();
}

/** Called once before the first paint, and after every change. */
export function applyScheme(): void {
  const scheme = currentScheme();
  document.documentElement.dataset['mantineColorScheme'] = scheme;
  for (const bar of document.querySelectorAll('meta[name="theme-color"]')) {
    bar.setAttribute('content', PAPER[scheme]);
  }
  for (const listener of listeners) listener();
}

export function followSystem(): void {
  systemIsDark().addEventListener('change', applyScheme);
}

export function useScheme(): { scheme: Scheme; choice: SchemeChoice } {
  const scheme = useSyncExternalStore(subscribe, currentScheme);
  const choice = useSyncExternalStore(subscribe, chosenScheme);
  return { scheme, choice };
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function systemIsDark(): MediaQueryList {
  return matchMedia('(prefers-color-scheme: dark)');
}
