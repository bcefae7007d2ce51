/** Lets this browser forget the interview, on pages without a menu. */
import type { ConversationSession } from '../state/session';
import { AskButton } from './ask-button';
import { useTexts } from './language';

interface LeaveFooterProps {
  session: ConversationSession;
  company: string;
}

export function LeaveFooter({ session, company }: LeaveFooterProps) {
  const { leave } = useTexts();
  return <AskButton asking="leave" label={leave.open} session={session} company={company} />;
}
