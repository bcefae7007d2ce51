import { Faults as ScriptedFaults, type TransportFault, type When } from '../http-fake/faults';

/** What goes wrong with a call. */
export type Fault =
  /** The Bot API's own error. */
  | {
      readonly kind: 'status';
      readonly code: number;
      readonly description?: string;
      readonly retryAfterS?: number;
      readonly when?: When;
    }
  | TransportFault;

/** Keyed by the Bot API's method; `downloadFile` for GET /file/bot…. */
export class Faults extends ScriptedFaults<Fault> {}
