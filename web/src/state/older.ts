/** Reads the messages before those on the page, one page at a time. */
import type { TranscriptPage, WireMessage } from '../api/wire';
import type { ConversationAction, OlderMessages } from './conversation';

interface OlderPorts {
  read: (cursor: number) => Promise<TranscriptPage>;
  dispatch: (action: ConversationAction) => void;
}

export async function readOlder({ cursor, state }: OlderMessages, ports: OlderPorts) {
  if (cursor === null || state === 'loading') return;
  ports.dispatch({ type: 'askedForOlder' });
  try {
    ports.dispatch({ type: 'olderViewed', cursor, page: await ports.read(cursor) });
  } catch {
    ports.dispatch({ type: 'olderFailed' });
  }
}

/** All messages before those on the page. */
export async function readAllOlder(
  { cursor }: OlderMessages,
  read: OlderPorts['read'],
): Promise<WireMessage[]> {
  const all: WireMessage[] = [];
  for (let next = cursor; next !== null;) {
    const page = await read(next);
    all.unshift(...page.messages);
    next = page.olderCursor;
  }
  return all;
}
