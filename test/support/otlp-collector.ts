import { gunzipSync } from 'node:zlib';
import { Listener } from '../../tools/http-fake/listener';
import { bodyOf } from '../../tools/http-fake/requests';

type Value = { readonly stringValue?: string; readonly intValue?: number | string };

interface Attribute {
  readonly key: string;
  readonly value: Value;
}

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes?: readonly Attribute[];
  readonly links?: readonly { readonly traceId: string }[];
}

/** `ExportTraceServiceRequest` of OTLP 1.x, in its JSON form. */
interface TraceRequest {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** One span as a collector received it. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly name: string;
  /** `service.instance.id`: one for each process. */
  readonly replica: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** Receives spans by OTLP over HTTP with JSON, as a collector of OpenTelemetry does. */
export class OtlpCollector {
  readonly spans: ReceivedSpan[] = [];
  /** All that was received, as text. */
  received = '';
  private readonly listener = new Listener(async (request, response) => {
    const raw = await bodyOf(request);
    const isGzipped = request.headers['content-encoding'] === 'gzip';
    const text = (isGzipped ? gunzipSync(raw) : raw).toString('utf8');
    if (request.url !== '/v1/traces') {
      response.writeHead(404).end();
      return;
    }
    this.received += text;
    this.spans.push(...spansOf(JSON.parse(text) as TraceRequest));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });

  static async start(): Promise<OtlpCollector> {
    const collector = new OtlpCollector();
    await collector.listener.open();
    return collector;
  }

  get url(): string {
    return this.listener.url;
  }

  /** The settings with which a process sends its spans here. */
  get env(): Record<string, string> {
    return {
      OTEL_EXPORTER_OTLP_ENDPOINT: this.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '50',
    };
  }

  named(name: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.name === name);
  }

  stop(): Promise<void> {
    return this.listener.close();
  }
}

function spansOf({ resourceSpans = [] }: TraceRequest): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const replica = recordOf(resource?.attributes)['service.instance.id'] ?? '';
    return scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId = '', name, attributes }) => ({
        traceId,
        spanId,
        parentSpanId,
        name,
        replica,
        attributes: recordOf(attributes),
      })),
    );
  });
}

function recordOf(attributes: readonly Attribute[] = []): Record<string, string> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, String(value.stringValue ?? value.intValue ?? '')]),
  );
}
