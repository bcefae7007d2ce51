/** What the page itself has to say beside the transcript: no connection, and how it ended. */
import type { ConversationState } from '../state/conversation';
import { useTexts } from './language';

export function ConnectionBanner({ isLost, onRetry }: { isLost: boolean; onRetry: () => void }) {
  const { connection } = useTexts();
  return (
    <div role="status">
      {isLost && (
        <div className="banner">
          <span className="banner-dot" aria-hidden="true" />
          <span>{connection.lost}</span>
          <button type="button" className="quiet-button" onClick={onRetry}>
            {connection.retry}
          </button>
        </div>
      )}
    </div>
  );
}

export function Closing({ view }: { view: ConversationState['view'] }) {
  const texts = useTexts();
  const closing = closingOf(view, texts);
  return (
    <div role="status">
      {closing && (
        <section className="closing">
          <h2>{closing.title}</h2>
          <p>{closing.text}</p>
        </section>
      )}
    </div>
  );
}

function closingOf(view: ConversationState['view'], texts: ReturnType<typeof useTexts>) {
  switch (view.status) {
    case 'completed':
      return { title: texts.completed.title, text: texts.completed.text(view.company) };
    case 'handed_over':
      return { title: texts.handedOver.title, text: texts.handedOver.text(view.company) };
    case 'withdrawn':
      return texts.withdrawn;
    case 'new':
    case 'active':
    case 'declined':
      return null;
  }
}
