/** The questions before what the header offers: a person, Telegram, one's data, withdrawing. */
import type { ConversationSession } from '../state/session';
import { ConfirmDialog } from './confirm-dialog';
import { useTexts } from './language';

export type Asking = 'human' | 'telegram' | 'data' | 'leave' | 'withdraw' | 'erase';

interface HeaderDialogProps {
  asking: Asking;
  session: ConversationSession;
  company: string;
  onClosed: () => void;
}

export function HeaderDialog({ asking, session, company, onClosed }: HeaderDialogProps) {
  const { human, telegram, myData, leave, withdraw, erase, cancel } = useTexts();
  switch (asking) {
    case 'human':
      return (
        <ConfirmDialog
          title={human.title}
          text={human.text(company)}
          confirm={human.confirm}
          onConfirm={() => session.requests.act('human')}
          onClosed={onClosed}
        />
      );
    case 'telegram':
      return (
        <ConfirmDialog
          title={telegram.title}
          text={telegram.text}
          confirm={telegram.confirm}
          cancel={telegram.cancel}
          onConfirm={() => session.requests.continueInTelegram()}
          onClosed={onClosed}
        />
      );
    case 'data':
      return (
        <ConfirmDialog
          title={myData.title}
          text={myData.text}
          confirm={myData.confirm}
          cancel={cancel}
          onConfirm={() => session.requests.downloadData(myData.fileName)}
          onClosed={onClosed}
        />
      );
    case 'leave':
      return (
        <ConfirmDialog
          title={leave.title}
          text={leave.text[session.ends.wayBack]}
          confirm={leave.confirm}
          onConfirm={() => session.end('left')}
          onClosed={onClosed}
        />
      );
    case 'withdraw':
      return (
        <ConfirmDialog
          title={withdraw.title}
          text={withdraw.text}
          confirm={withdraw.confirm}
          isGrave
          onConfirm={() => session.requests.act('withdraw')}
          onClosed={onClosed}
        />
      );
    case 'erase':
      return (
        <ConfirmDialog
          title={erase.title}
          text={erase.text(company)}
          confirm={erase.confirm}
          cancel={cancel}
          isGrave
          onConfirm={() => session.end('erased')}
          onClosed={onClosed}
        />
      );
  }
}
