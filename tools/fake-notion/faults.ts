import { Faults as ScriptedFaults, type TransportFault, type When } from '../http-fake/faults';
import type { ErrorCode } from './api-error';

/** What goes wrong with a call. */
export type Fault =
  /** Notion's own error. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly code?: ErrorCode;
      readonly message?: string;
      readonly retryAfterS?: number;
      /** Of a 429: `additional_data.rate_limit_reason`. */
      readonly reason?: string;
      readonly when?: When;
    }
  | TransportFault;

/** Keyed by the SDK's name of the operation. */
export class Faults extends ScriptedFaults<Fault> {}
