/**
 * The browser asks before it leaves the page while something on it is not stored. Where the page itself leaves, at a
 * sign-out or because somebody else has signed in, nothing may stop it.
 */
import { useEffect, useRef } from 'react';

/** Whether there is something that would be lost. */
type HasUnsaved = () => boolean;

export class LeaveGuard {
  private readonly places = new Set<HasUnsaved>();
  private isLetGo = false;

  /** The returned function ends it. */
  add(hasUnsaved: HasUnsaved): () => void {
    this.places.add(hasUnsaved);
    return () => this.places.delete(hasUnsaved);
  }

  get hasUnsaved(): boolean {
    return !this.isLetGo && [...this.places].some((one) => one());
  }

  /** For as long as this page lives. */
  letGo(): void {
    this.isLetGo = true;
  }
}

export const leaveGuard = new LeaveGuard();

/** While the component is shown. */
export function useLeaveGuard(hasUnsaved: HasUnsaved): void {
  const latest = useRef(hasUnsaved);
  useEffect(() => {
    latest.current = hasUnsaved;
  });
  useEffect(() => leaveGuard.add(() => latest.current()), []);
}

/** Called once by the shell. */
export function useLeaveQuestion(): void {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent): void => {
      if (leaveGuard.hasUnsaved) event.preventDefault();
    };
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, []);
}
