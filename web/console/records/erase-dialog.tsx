/**
 * Erases everything about a candidate: says before how much that is, tells of a legal hold, and wants the name typed.
 * The password is asked for by the gate.
 */
import { useState } from 'react';
import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLanguage } from '../language';
import { momentOf } from '../moments';
import { BusyButton } from '../shell/busy-button';
import { Dialog, DialogActions } from '../shell/dialog';
import { NotLoaded, Waiting } from '../shell/sentence';
import { useProblem } from '../shell/use-problem';
import { eraseCandidate, readCandidate } from './calls';
import type { Candidate, CandidateInFull } from './calls';
import { sameWords } from './same-words';
import { useRecordsTexts } from './texts';

interface EraseDialogProps {
  /** Null: nobody is being erased. */
  candidate: Candidate | null;
  onClose: () => void;
  onErased: () => void;
}

export function EraseDialog({ candidate, onClose, onErased }: EraseDialogProps) {
  const { candidates } = useRecordsTexts();
  const [isBusy, setBusy] = useState(false);
  // Stays readable while the dialog fades out.
  const [shown, setShown] = useState(candidate);
  if (candidate !== null && candidate !== shown) setShown(candidate);
  return (
    <Dialog
      opened={candidate !== null}
      title={candidates.erase.title(shown?.name ?? candidates.nameless)}
      isBusy={isBusy}
      isPinned
      onClose={onClose}
    >
      {shown !== null && (
        <Told key={shown.id} id={shown.id} {...{ isBusy, setBusy, onClose, onErased }} />
      )}
    </Dialog>
  );
}

interface ToldProps extends Omit<EraseDialogProps, 'candidate'> {
  id: string;
  isBusy: boolean;
  setBusy: (isBusy: boolean) => void;
}

function Told({ id, ...props }: ToldProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['candidate', id],
    queryFn: () => readCandidate(id),
    // What is told is what there is, and nothing of it stays when the dialog has closed.
    staleTime: 0,
    gcTime: 0,
  });
  if (data !== undefined) return <EraseForm candidate={data} {...props} />;
  return error === null ? <Waiting rows={3} /> : <NotLoaded error={error} onAgain={refetch} />;
}

interface EraseFormProps extends Omit<ToldProps, 'id'> {
  candidate: CandidateInFull;
}

function EraseForm({ candidate, isBusy, setBusy, onClose, onErased }: EraseFormProps) {
  const { erase } = useRecordsTexts().candidates;
  const { language } = useLanguage();
  const problemOf = useProblem(useRecordsTexts().problems);
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState('');
  const { id, name, stored, hold, keptDays } = candidate;
  const word = name?.trim().replaceAll(/\s+/g, ' ') ?? erase.word;
  const isSure = sameWords(typed, word);
  const run = async (): Promise<void> => {
    if (isBusy || !isSure) return;
    setBusy(true);
    setProblem('');
    try {
      await eraseCandidate(id);
      onErased();
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="dialog"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      {hold !== null && (
        <p className="records-warning">
          {erase.hold(hold.placedBy, momentOf(new Date(hold.placedAt), language), hold.reason)}
        </p>
      )}
      <div>
        <p>{erase.lead}</p>
        <ul className="records-stored">
          {KINDS.filter((kind) => stored[kind] > 0).map((kind) => (
            <li key={kind}>{erase.stored[kind](stored[kind])}</li>
          ))}
        </ul>
      </div>
      {keptDays !== null && <p>{erase.kept(keptDays)}</p>}
      <p className="soft">{erase.stays}</p>
      <TextInput
        data-autofocus
        label={erase.type(word)}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      <p className="form-error" role="alert">
        {problem}
      </p>
      <DialogActions isBusy={isBusy} onCancel={onClose}>
        <BusyButton type="submit" color="red" isBusy={isBusy || !isSure}>
          {erase.action}
        </BusyButton>
      </DialogActions>
    </form>
  );
}

const KINDS = [
  'interviews',
  'messages',
  'recordings',
  'files',
  'invitations',
  'scorings',
  'ratings',
  'decisions',
  'comments',
] as const satisfies readonly (keyof CandidateInFull['stored'])[];
