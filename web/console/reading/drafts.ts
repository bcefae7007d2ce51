/**
 * Marks, notes and texts that are not stored yet. They outlive the page of their interview, so that somebody who goes
 * to another page and back finds them; the browser asks before the console is left (`leave-guard.ts`).
 */
import { useSyncExternalStore } from 'react';
import type { Draft } from './marks';

class Drafts<T> {
  private readonly kept = new Map<string, T>();
  private readonly listeners = new Set<() => void>();

  get isEmpty(): boolean {
    return this.kept.size === 0;
  }

  get(key: string): T | undefined {
    return this.kept.get(key);
  }

  keep(key: string, draft: T): void {
    this.kept.set(key, draft);
    this.notify();
  }

  /** `draft`: only if nothing was changed since. */
  drop(key: string, draft?: T): void {
    if (draft !== undefined && this.kept.get(key) !== draft) return;
    if (this.kept.delete(key)) this.notify();
  }

  /** Of everything. */
  clear(): void {
    this.kept.clear();
    this.notify();
  }

  /** Of an interview that is gone. */
  dropOf(interviewId: string): void {
    for (const key of this.kept.keys()) {
      if (key.startsWith(`${interviewId}/`)) this.kept.delete(key);
    }
    this.notify();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}

/** Of ratings, by interview and question. */
export const markDrafts = new Drafts<Draft>();
/** Of comments and of reasons, by interview and place. */
export const textDrafts = new Drafts<string>();

export function useDraft<T>(drafts: Drafts<T>, key: string): T | undefined {
  return useSyncExternalStore(drafts.subscribe, () => drafts.get(key));
}

export function hasDrafts(): boolean {
  return !markDrafts.isEmpty || !textDrafts.isEmpty;
}
