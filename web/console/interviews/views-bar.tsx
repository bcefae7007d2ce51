/** The views that somebody has saved: links to the list with their filters. */
import { useState } from 'react';
import type { SubmitEvent } from 'react';
import { Button, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { asProblem } from '../api/problem';
import { useTexts } from '../language';
import { newUuid } from '../new-uuid';
import { HOME } from '../places';
import { BusyButton } from '../shell/busy-button';
import { ConfirmDialog, Dialog, DialogActions } from '../shell/dialog';
import type { Question } from '../shell/dialog';
import { deleteView, listViews, saveView } from './calls';
import type { View } from './calls';
import { useInterviewTexts } from './texts';

const VIEWS = ['views'] as const;
const NONE: readonly View[] = [];

/** `query`: of the filters that are chosen now. */
export function ViewsBar({ query }: { query: string }) {
  const texts = useInterviewTexts();
  const queries = useQueryClient();
  const { data } = useQuery({ queryKey: VIEWS, queryFn: listViews, staleTime: 60_000 });
  const [isSaving, setSaving] = useState(false);
  const [question, setQuestion] = useState<Question | null>(null);
  const views = data?.views ?? NONE;
  const current = views.find((view) => view.query === query);
  const changed = (): Promise<void> => queries.invalidateQueries({ queryKey: VIEWS });
  const askToDelete = ({ id, name }: View): void => {
    setQuestion({
      title: texts.views.deleteTitle(name),
      text: texts.views.deleteText,
      action: texts.views.deleteAction,
      run: async () => {
        await deleteView(id);
        await changed();
      },
    });
  };
  if (views.length === 0 && query === '') return null;
  return (
    <nav className="views" aria-label={texts.views.label}>
      <ViewLink query="" name={texts.views.all} isCurrent={query === ''} />
      {views.map((view) => (
        <ViewLink key={view.id} {...view} isCurrent={view === current} />
      ))}
      {current === undefined && query !== '' && (
        <Button size="compact-sm" variant="subtle" onClick={() => setSaving(true)}>
          {texts.views.save}
        </Button>
      )}
      {current !== undefined && (
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label={texts.views.delete(current.name)}
          onClick={() => askToDelete(current)}
        >
          {texts.views.deleteAction}
        </Button>
      )}
      <SaveDialog
        opened={isSaving}
        query={query}
        onClose={() => setSaving(false)}
        onSaved={changed}
      />
      <ConfirmDialog question={question} onClose={() => setQuestion(null)} />
    </nav>
  );
}

interface ViewLinkProps {
  query: string;
  name: string;
  isCurrent: boolean;
}

function ViewLink({ query, name, isCurrent }: ViewLinkProps) {
  const href = query === '' ? HOME : `${HOME}?${query}`;
  return (
    <Link href={href} className="view" aria-current={isCurrent ? 'page' : undefined}>
      {name}
    </Link>
  );
}

interface SaveDialogProps {
  opened: boolean;
  query: string;
  onClose: () => void;
  onSaved: () => Promise<void>;
}

function SaveDialog({ opened, query, onClose, onSaved }: SaveDialogProps) {
  const all = useTexts();
  const texts = useInterviewTexts().views;
  const [name, setName] = useState('');
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    if (name.trim() === '') {
      setProblem(texts.nameMissing);
      return;
    }
    setBusy(true);
    setProblem('');
    try {
      await saveView({ id: newUuid(), name: name.trim(), query });
      await onSaved();
      setName('');
      onClose();
    } catch (error) {
      const failure = asProblem(error);
      setProblem(failure.code === 'too_many_views' ? texts.full : all.problem(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog opened={opened} title={texts.title} isBusy={isBusy} onClose={onClose}>
      <form className="dialog" noValidate onSubmit={(event) => void submit(event)}>
        <TextInput
          data-autofocus
          label={texts.name}
          value={name}
          maxLength={60}
          error={problem === '' ? null : problem}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <DialogActions isBusy={isBusy} onCancel={onClose}>
          <BusyButton type="submit" isBusy={isBusy}>
            {texts.action}
          </BusyButton>
        </DialogActions>
      </form>
    </Dialog>
  );
}
