import type { Clock } from '../clock';

export {
  Flow,
  type InFlow,
  captureFlow,
  currentTraceparent,
  errorTypeOf,
  flowFields,
  noteIds,
  outsideFlows,
  runFlow,
  step,
} from './flow';

/**
 * Records spans if there is an endpoint for them. Without one, OpenTelemetry is not even loaded.
 * Returns what sends the last spans, for the end of the process.
 */
export async function startTracing(endpoint: string, clock: Clock): Promise<() => Promise<void>> {
  if (endpoint === '') return () => Promise.resolve();
  const { startRecording } = await import('./opentelemetry');
  return startRecording(clock);
}
