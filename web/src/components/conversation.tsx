/** Chooses the page by the state of the conversation. */
import { type ReactNode, useState, useSyncExternalStore } from 'react';
import type { ConversationSession } from '../state/session';
import { Consent } from './consent';
import { Interview } from './interview';
import { LeaveFooter } from './leave-footer';
import { MessagePage } from './message-page';
import { Profile } from './profile';

interface ConversationProps {
  session: ConversationSession;
  onReopen: () => void;
}

/** A function instead of a component, because it is loaded after the first view (app.tsx). */
export function renderConversation(props: ConversationProps): ReactNode {
  return <Conversation {...props} />;
}

export function Conversation({ session, onReopen }: ConversationProps) {
  const snapshot = useSyncExternalStore(session.subscribe, session.snapshot, session.snapshot);
  const [isReconsidering, setReconsidering] = useState(false);
  const { view, messages } = snapshot.conversation;
  if (snapshot.isSessionLost) {
    return (
      <MessagePage
        text={(texts) => texts.sessionLost}
        action={(texts) => texts.sessionLost.reopen}
        onAction={onReopen}
      />
    );
  }
  const footer = <LeaveFooter session={session} company={view.company} />;
  if (view.status === 'declined' && !isReconsidering) {
    return (
      <MessagePage
        text={(texts) => texts.declined}
        action={(texts) => texts.declined.reconsider}
        onAction={() => setReconsidering(true)}
        footer={footer}
      />
    );
  }
  const isConsentOpen = view.status === 'new' && view.consent?.accepted !== true;
  if (isConsentOpen || view.status === 'declined') {
    const onAnswered = () => setReconsidering(false);
    return <Consent session={session} view={view} onAnswered={onAnswered} />;
  }
  if (view.status === 'new' && view.profile.needed.length > 0) {
    return <Profile session={session} view={view} />;
  }
  if (view.status === 'withdrawn' && messages.length === 0) {
    return <MessagePage text={(texts) => texts.withdrawn} footer={footer} />;
  }
  return <Interview session={session} snapshot={snapshot} />;
}
