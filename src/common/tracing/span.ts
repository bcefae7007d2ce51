import { newSpanId, newTraceId } from '../ids';

/** Values of spans: codes, counts and ids; never a person's name, words, address or chat. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** As in OpenTelemetry: who waits for whom. */
export type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal';

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  /** A W3C `traceparent`; null begins a trace. */
  readonly parent: string | null;
  /** The `traceparent` of another trace that caused this one: a link. */
  readonly cause: string | null;
  readonly attributes: Attributes;
}

/** One piece of work in a trace. */
export interface Span {
  readonly traceparent: string;
  /** False: nobody keeps it, so its parts need no spans. */
  readonly isRecorded: boolean;
  add(attributes: Attributes): void;
  /** `errorType`: why it failed; null when it did not. */
  end(errorType: string | null): void;
}

export type StartSpan = (start: SpanStart) => Span;

/**
 * Without a recorder there are still ids, so that the log lines of one answer can be found together on
 * all replicas. The flag of `traceparent` says "not recorded" for a new trace and is kept for one that
 * another replica records.
 */
const startUnrecorded: StartSpan = ({ parent }) => ({
  traceparent: parent ?? `00-${newTraceId()}-${newSpanId()}-00`,
  isRecorded: false,
  add: () => undefined,
  end: () => undefined,
});

/** Process-wide, as the log is: the start sets it before the first flow, and nothing else does. */
let starter: StartSpan = startUnrecorded;

export function spanStarter(): StartSpan {
  return starter;
}

/** From now on spans are started by `start`; null: they are not recorded. */
export function recordSpansBy(start: StartSpan | null): void {
  starter = start ?? startUnrecorded;
}
