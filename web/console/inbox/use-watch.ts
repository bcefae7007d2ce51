import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react';
import { browserPlatform } from '../../src/platform';
import { pageStreams } from '../live/page-streams';
import { hasSaidTyping, openEvents, readLines } from './calls';
import { InterviewWatch } from './interview-watch';
import type { WatchPorts, WatchState } from './interview-watch';

interface Watched {
  /** Null: there is no interview to watch. */
  state: WatchState | null;
  showOlder: () => void;
  again: () => void;
}

/** Watches an interview while the component is shown. `onChange` must not change with each rendering. */
export function useWatch(conversationId: string | null, onChange: () => void): Watched {
  const watch = useMemo(
    () => (conversationId === null ? null : new InterviewWatch(portsOf(conversationId, onChange))),
    [conversationId, onChange],
  );
  useEffect(() => {
    if (watch === null) return undefined;
    void watch.load();
    return () => watch.close();
  }, [watch]);
  const state = useSyncExternalStore(
    useCallback((listener: () => void) => watch?.subscribe(listener) ?? (() => undefined), [watch]),
    () => watch?.snapshot() ?? null,
  );
  return {
    state,
    showOlder: () => void watch?.showOlder(),
    again: () => void watch?.load(),
  };
}

function portsOf(conversationId: string, onChange: () => void): WatchPorts {
  return {
    readLines: (before) => readLines(conversationId, before),
    openEvents: () => openEvents(conversationId),
    follow: (stream) => pageStreams().add(stream),
    wait: browserPlatform.wait,
    hasSaidTyping,
    onChange,
  };
}
