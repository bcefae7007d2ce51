/**
 * The only file that touches the browser's clock, chance, timers and storage. Everything under
 * state/ receives these as ports, so that it can be tested without a browser.
 */

import { browserMicrophone } from './microphone';
import type { Microphone } from './microphone';

/** Runs `then` once after `ms`; the returned function cancels it. */
export type Wait = (ms: number, then: () => void) => () => void;

export interface KeyValueStorage {
  keys(): string[];
  get(key: string): string | null;
  set(key: string, value: string): void;
  remove(key: string): void;
}

/** This tab, and the others of this site in the same browser. */
export interface Tabs {
  isShown: () => boolean;
  /** Tells the others that this tab opens a stream of events. */
  sayOpened: () => void;
  /** Calls `then` whenever another tab says so. */
  onOpened: (then: () => void) => void;
}

export interface Platform {
  /** Null where nothing can be recorded. */
  microphone: Microphone | null;
  nowMs: () => number;
  random: () => number;
  newMessageId: () => string;
  wait: Wait;
  storage: KeyValueStorage;
  tabs: Tabs;
  /** Saves a file in the browser's downloads. */
  saveFile: (name: string, content: Blob) => void;
  /** Leaves the page for another address. */
  goTo: (url: string) => void;
  /** Opens the page again. */
  reload: () => void;
}

/** Not randomUUID: it is missing where the page is served over plain HTTP from another host. */
function newMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Where localStorage is forbidden or full, values are kept only as long as the tab lives. */
function browserStorage(): KeyValueStorage {
  const memory = new Map<string, string>();
  const tried = <T>(work: () => T, otherwise: T): T => {
    try {
      return work();
    } catch {
      return otherwise;
    }
  };
  return {
    keys: () => [...new Set([...tried(() => Object.keys(localStorage), []), ...memory.keys()])],
    get: (key) => memory.get(key) ?? tried(() => localStorage.getItem(key), null),
    set: (key, value) => {
      const kept = tried(() => {
        localStorage.setItem(key, value);
        return true;
      }, false);
      if (kept) memory.delete(key);
      else memory.set(key, value);
    },
    remove: (key) => {
      memory.delete(key);
      tried(() => {
        localStorage.removeItem(key);
      }, undefined);
    },
  };
}

/** Where there is no BroadcastChannel (Safari before 15.4), a tab hears nothing of the others. */
function browserTabs(): Tabs {
  const channel =
    typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('colloquy-streams');
  return {
    isShown: () => document.visibilityState === 'visible',
    sayOpened: () => channel?.postMessage('opened'),
    onOpened: (then) => channel?.addEventListener('message', then),
  };
}

/** Some versions of iOS read a download only after the click has ended. */
const DOWNLOAD_KEPT_MS = 60_000;

/** Exported for the page of recruiters, which needs nothing else of a Platform. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), DOWNLOAD_KEPT_MS);
}

export const browserPlatform: Platform = {
  microphone: browserMicrophone(),
  nowMs: () => Date.now(),
  random: () => Math.random(),
  newMessageId,
  wait: (ms, then) => {
    const timer = setTimeout(then, ms);
    return () => {
      clearTimeout(timer);
    };
  },
  storage: browserStorage(),
  tabs: browserTabs(),
  saveFile,
  goTo: (url) => {
    location.assign(url);
  },
  reload: () => {
    location.reload();
  },
};
