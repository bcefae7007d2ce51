/** Reads the messages before those on the page, one page at a time. */
import type { TranscriptPage } from '../api/wire';
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
