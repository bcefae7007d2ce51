/** The questions before one's data is downloaded or deleted. */
import type { ConversationSession } from '../state/session';
import { ConfirmDialog } from './confirm-dialog';
import { useTexts } from './language';

interface DataDialogProps {
  what: 'data' | 'erase';
  session: ConversationSession;
  company: string;
  onClosed: () => void;
}

export function DataDialog({ what, session, company, onClosed }: DataDialogProps) {
  const { myData, erase, cancel } = useTexts();
  if (what === 'data') {
    const onConfirm = () => session.downloadData();
    return <ConfirmDialog {...myData} {...{ cancel, onConfirm, onClosed }} />;
  }
  return (
    <ConfirmDialog
      title={erase.title}
      text={erase.text(company)}
      confirm={erase.confirm}
      cancel={cancel}
      isGrave
      onConfirm={() => session.erase()}
      onClosed={onClosed}
    />
  );
}
