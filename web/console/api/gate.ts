/**
 * Requests that a person has to let through. A response that says that nobody is signed in any more, or 403
 * `password_needed` (the password was shown too long ago), is not handed on: the gate asks, a dialog over the page
 * shows what is asked, and the request is sent again. The page below keeps everything that was typed.
 *
 *   open ──401──> sign-in ──signed in──> open, every waiting request is sent again
 *     └──403────> confirm ──confirmed──> open, likewise
 *                    └──given up───────> open, the waiting requests return their refusals
 */
import { codeOf } from './problem';

type Ask = 'sign-in' | 'confirm';

export class Gate {
  private current: {
    ask: Ask;
    done: Promise<boolean>;
    end: (isLetThrough: boolean) => void;
  } | null = null;
  private readonly listeners = new Set<() => void>();

  constructor(private readonly send: (request: Request) => Promise<Response>) {}

  readonly fetch = async (first: Request): Promise<Response> => {
    let request = first;
    for (;;) {
      const again = request.clone();
      const response = await this.send(request);
      const ask = await askedBy(response);
      if (ask === null || !(await this.asked(ask))) return response;
      request = again;
    }
  };

  /** What a dialog asks for now; null: nothing. */
  readonly snapshot = (): Ask | null => this.current?.ask ?? null;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  letThrough(): void {
    this.current?.end(true);
  }

  giveUp(): void {
    this.current?.end(false);
  }

  /** One dialog for all that wait; a request that needs more than it gave asks again after it. */
  private asked(ask: Ask): Promise<boolean> {
    this.current ??= this.begin(ask);
    return this.current.done;
  }

  private begin(ask: Ask): NonNullable<typeof this.current> {
    let end: (isLetThrough: boolean) => void = () => undefined;
    const done = new Promise<boolean>((resolve) => {
      end = (isLetThrough) => {
        this.current = null;
        resolve(isLetThrough);
        this.notify();
      };
    });
    queueMicrotask(() => this.notify());
    return { ask, done, end };
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}

/** With the cookie of a session that has ended; and without any, where the API then expects a key. */
const SIGNED_OUT = new Set(['sign_in_needed', 'admin_token_wrong', 'admin_api_off']);

async function askedBy(response: Response): Promise<Ask | null> {
  if (response.ok) return null;
  const code = codeOf(
    await response
      .clone()
      .json()
      .catch(() => null),
  );
  if (code !== null && SIGNED_OUT.has(code)) return 'sign-in';
  return code === 'password_needed' ? 'confirm' : null;
}
