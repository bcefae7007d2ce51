import type { When } from '../fake-telegram/faults';
import type { ErrorCode } from './api-error';

export { Faults } from '../fake-telegram/faults';

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
  /** What a proxy in between answers. */
  | { readonly kind: 'body'; readonly status: number; readonly body: string; readonly when?: When }
  /** Late by the server's clock. */
  | { readonly kind: 'delay'; readonly ms: number; readonly when?: When }
  /** No answer until `release()`, or until the caller goes. */
  | { readonly kind: 'hang'; readonly when?: When }
  /** The connection is cut. */
  | { readonly kind: 'drop'; readonly when?: When };
