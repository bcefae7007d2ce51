import { AsyncLocalStorage } from 'node:async_hooks';
import { RemoteCallInCommitError } from './errors';

/**
 * Only remembers that this call chain is inside a commit, so that a nested commit or a remote call
 * fails at once instead of exhausting the pool under load. The unit of work itself is always passed
 * as a parameter.
 */
const scope = new AsyncLocalStorage<{ readonly label: string }>();

export function runInCommitScope<T>(label: string, work: () => Promise<T>): Promise<T> {
  return scope.run({ label }, work);
}

/** The label of the commit that this call chain is inside of, if any. */
export function currentCommitLabel(): string | undefined {
  return scope.getStore()?.label;
}

/** Every client of a peer (model, Telegram, Notion) calls this before it sends a request. */
export function assertOutsideCommit(peer: string): void {
  const label = currentCommitLabel();
  if (label === undefined) return;
  throw new RemoteCallInCommitError(`${peer} was called inside the commit "${label}"`, {
    fields: { peer, commit: label },
  });
}
