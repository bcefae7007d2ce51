import { AsyncLocalStorage } from 'node:async_hooks';
import { ColloquyError } from '../errors';
import { newSpanId, newTraceId } from '../ids';

/**
 * One HTTP request, update or job, from its start to its end, also where its work is spread over
 * callbacks. It is never a part of the flow in which it is created, unless `parent` says so.
 */
export class Flow {
  private constructor(private readonly scope: Scope) {}

  static begin({ name, kind, parent = null, cause = null, ids, attributes }: FlowStart): Flow {
    const span = starter({ name, kind, parent, cause, attributes: attributes ?? {} });
    return new Flow({ span, ids: { ...ids } });
  }

  /** Runs `work` inside the flow. */
  run<T>(work: () => T): T {
    return scopes.run(this.scope, work);
  }

  end(attributes: Attributes = {}, errorType: string | null = null): void {
    finish(this.scope, attributes, errorType);
  }
}

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
const scopes = new AsyncLocalStorage<Scope>();

/** Work that goes on under a span: what `currentTraceparent`, `step` and the log use. */
interface Scope {
  readonly span: Span;
  /** Shared by all spans of the flow. */
  readonly ids: { -readonly [K in keyof FlowIds]: FlowIds[K] };
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

/** Values of spans: codes, counts and ids; never a person's name, words, address or chat. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** Ids that the log lines and the spans of one flow carry. None of them names a person. */
export interface FlowIds {
  /** Of an HTTP request, as its response header `x-request-id` shows it. */
  readonly request?: string;
  readonly conversation?: string;
  readonly turn?: string;
}

export interface FlowStart {
  /** Few and without ids: `POST /api/v1/sessions`, `job flush`. */
  readonly name: string;
  readonly kind: SpanKind;
  /** The `traceparent` that this flow continues; null or absent begins a trace. */
  readonly parent?: string | null;
  /** The `traceparent` of what caused a flow with a trace of its own. */
  readonly cause?: string | null;
  readonly ids?: FlowIds;
  readonly attributes?: Attributes;
}

/** The kinds of spans of OpenTelemetry. */
export type SpanKind = 'server' | 'client' | 'producer' | 'consumer' | 'internal';

export type StartSpan = (start: SpanStart) => Span;

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  /** A W3C `traceparent`; null begins a trace. */
  readonly parent: string | null;
  /** The `traceparent` of another trace that caused this one: a link. */
  readonly cause: string | null;
  readonly attributes: Attributes;
}

/** A flow that begins with `work` and ends with it. */
export async function runFlow<T>(start: FlowStart, work: () => Promise<T>): Promise<T> {
  const flow = Flow.begin(start);
  let errorType: string | null = null;
  try {
    return await flow.run(work);
  } catch (error) {
    errorType = errorTypeOf(error);
    throw error;
  } finally {
    flow.end({}, errorType);
  }
}

/**
 * A part of the flow, as a span of its own. `work` may add attributes when it knows them. Without a
 * flow, or while nobody records spans, it is only the call of `work`.
 */
export function step<T>(
  start: StepStart,
  work: (add: (attributes: Attributes) => void) => Promise<T>,
): Promise<T> {
  const scope = scopes.getStore();
  return scope?.span.isRecorded === true ? recordedStep(scope, start, work) : work(addNothing);
}

function addNothing(): void {
  // Nobody records the span.
}

async function recordedStep<T>(
  scope: Scope,
  { name, kind = 'internal', attributes = {} }: StepStart,
  work: (add: (attributes: Attributes) => void) => Promise<T>,
): Promise<T> {
  const parent = scope.span.traceparent;
  const span = starter({ name, kind, parent, cause: null, attributes });
  const inner = { span, ids: scope.ids };
  let errorType: string | null = null;
  try {
    return await scopes.run(inner, () =>
      work((more) => {
        span.add(more);
      }),
    );
  } catch (error) {
    errorType = errorTypeOf(error);
    throw error;
  } finally {
    finish(inner, {}, errorType);
  }
}

interface StepStart {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
}

/** The W3C `traceparent` of the work that runs; null outside of flows. */
export function currentTraceparent(): string | null {
  return scopes.getStore()?.span.traceparent ?? null;
}

/** Adds ids to the flow that runs: its later log lines and its spans carry them. */
export function noteIds(ids: FlowIds): void {
  const scope = scopes.getStore();
  if (scope !== undefined) Object.assign(scope.ids, ids);
}

/** The fields of a log line: `trace`, `request`, `conversation`, `turn`, as far as they are known. */
export function flowFields(): Readonly<Record<string, string>> {
  const scope = scopes.getStore();
  if (scope === undefined) return {};
  const [, trace = ''] = scope.span.traceparent.split('-');
  return { trace, ...scope.ids };
}

/** Runs `work` in the flow that ran when it was captured. */
export type InFlow = <T>(work: () => T) => T;

/** For work that is done later, together with that of other flows. */
export function captureFlow(): InFlow {
  const scope = scopes.getStore();
  return (work) => scopes.run(scope as Scope, work);
}

/** Runs `work` in no flow: it serves several. */
export function outsideFlows<T>(work: () => T): T {
  return scopes.exit(work);
}

function finish({ span, ids }: Scope, attributes: Attributes, errorType: string | null): void {
  if (span.isRecorded) span.add({ ...idAttributes(ids), ...attributes });
  span.end(errorType);
}

function idAttributes(ids: FlowIds): Attributes {
  return Object.fromEntries(
    Object.entries(ids).map(([name, id]) => [`colloquy.${name}.id`, id as string]),
  );
}

/** What failed, without what it says: messages may quote a candidate. */
export function errorTypeOf(error: unknown): string {
  if (error instanceof ColloquyError) return error.code;
  return error instanceof Error ? error.name : 'unknown';
}

/** From now on spans are started by `start`; null: they are not recorded. */
export function recordSpansBy(start: StartSpan | null): void {
  starter = start ?? startUnrecorded;
}
