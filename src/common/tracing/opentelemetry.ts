import { Logger } from '@nestjs/common';
import { NodeSDK, api, resources } from '@opentelemetry/sdk-node';
import { type Clock, settledWithin } from '../clock';
import { newId } from '../ids';
import { VERSION } from '../version';
import { type SpanKind, type SpanStart, type StartSpan, recordSpansBy } from './flow';

const SERVICE = 'colloquy';
/** A collector that cannot be reached fails every batch; one line says so for this long. */
const SILENT_MS = 600_000;
/** How long the end of the process waits for the last spans. */
const LAST_SPANS_MS = 2000;
const TRACEPARENT = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/;

const KINDS: Readonly<Record<SpanKind, api.SpanKind>> = {
  internal: api.SpanKind.INTERNAL,
  server: api.SpanKind.SERVER,
  client: api.SpanKind.CLIENT,
  producer: api.SpanKind.PRODUCER,
  consumer: api.SpanKind.CONSUMER,
};

/**
 * Records spans and sends them by OTLP. The SDK reads OTEL_EXPORTER_OTLP_ENDPOINT and its other
 * variables (protocol, headers, sampler, batches) itself. Nothing is instrumented automatically,
 * because addresses of requests contain candidates' tokens. Returns what sends the last spans.
 */
export function startRecording(clock: Clock): () => Promise<void> {
  reportFailures(clock);
  const attributes = { 'service.version': VERSION, 'service.instance.id': newId() };
  const sdk = new NodeSDK({
    ...(process.env.OTEL_SERVICE_NAME === undefined ? { serviceName: SERVICE } : {}),
    resource: resources.defaultResource().merge(resources.resourceFromAttributes(attributes)),
    // Others would add the arguments of the process and its user.
    resourceDetectors: [resources.envDetector],
    instrumentations: [],
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  recordSpansBy(startBy(api.trace.getTracer(SERVICE, VERSION)));
  return async () => {
    recordSpansBy(null);
    const ended = sdk.shutdown().catch(() => undefined);
    await settledWithin(clock, LAST_SPANS_MS, ended);
  };
}

function startBy(tracer: api.Tracer): StartSpan {
  return ({ name, kind, parent, cause, attributes }: SpanStart) => {
    const link = contextOf(cause);
    const span = tracer.startSpan(
      name,
      {
        kind: KINDS[kind],
        attributes: { ...attributes },
        ...(link === null ? {} : { links: [{ context: link }] }),
      },
      under(contextOf(parent)),
    );
    const { traceId, spanId, traceFlags } = span.spanContext();
    return {
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      isRecorded: span.isRecording(),
      add: (more) => {
        span.setAttributes({ ...more });
      },
      end: (errorType) => {
        if (errorType !== null) {
          span.setAttribute('error.type', errorType);
          span.setStatus({ code: api.SpanStatusCode.ERROR });
        }
        span.end();
      },
    };
  };
}

function under(parent: api.SpanContext | null): api.Context {
  return parent === null
    ? api.ROOT_CONTEXT
    : api.trace.setSpanContext(api.ROOT_CONTEXT, { ...parent, isRemote: true });
}

/** Null for a text that is no `traceparent`: the flow then begins a trace. */
function contextOf(traceparent: string | null): api.SpanContext | null {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

/** The SDK's own messages quote the endpoint, which may contain a password, so they are not logged. */
function reportFailures(clock: Clock): void {
  const logger = new Logger('Tracing');
  let nextAtMs = 0;
  const report = (): void => {
    if (clock.monotonicMs() < nextAtMs) return;
    nextAtMs = clock.monotonicMs() + SILENT_MS;
    logger.warn(
      'Spans could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT and are lost; interviews go on',
    );
  };
  const ignore = (): void => undefined;
  api.diag.setLogger(
    { error: report, warn: ignore, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: api.DiagLogLevel.ERROR, suppressOverrideMessage: true },
  );
}
