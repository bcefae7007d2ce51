/** A new key for a program: its name, what it may do, and until when. */
import { useState } from 'react';
import { Checkbox, MultiSelect, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { BusyButton } from '../shell/busy-button';
import { Dialog, DialogActions } from '../shell/dialog';
import { focusFirstWrong } from '../shell/focus-first-wrong';
import { useProblem } from '../shell/use-problem';
import { useVacancies } from '../vacancies';
import { createKey } from './calls';
import type { NewKey, Scope } from './calls';
import { endOf } from './days';
import { isEnd, latestEnd } from './key-end';
import { useRecordsTexts } from './texts';
import '@mantine/core/styles/Checkbox.css';

interface KeyDialogProps {
  opened: boolean;
  onClose: () => void;
  onCreated: (key: NewKey) => void;
}

const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;

interface Values {
  name: string;
  scopes: string[];
  /** Slugs; empty: all. */
  vacancies: string[];
  end: string;
}

function first(): Values {
  return { name: '', scopes: [], vacancies: [], end: latestEnd(new Date()) };
}

export function KeyDialog({ opened, onClose, onCreated }: KeyDialogProps) {
  const { keys } = useRecordsTexts();
  const { form: words } = keys;
  const { vacancies } = useVacancies();
  const problemOf = useProblem(useRecordsTexts().problems);
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const form = useForm<Values>({
    initialValues: first(),
    validate: {
      name: (name) => (NAME.test(name.trim()) ? null : words.nameWrong),
      scopes: (scopes) => (scopes.length > 0 ? null : words.scopesWrong),
      end: (end) => (isEnd(end, new Date()) ? null : words.endWrong),
    },
  });
  const all = Object.keys(keys.scopes) as Scope[];
  const send = async ({ name, scopes, vacancies: slugs, end }: Values): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setProblem('');
    try {
      const made = await createKey({
        name: name.trim(),
        scopes: all.filter((scope) => scopes.includes(scope)),
        expiresAt: endOf(end),
        ...(slugs.length === 0 ? {} : { vacancies: slugs }),
      });
      form.reset();
      onCreated(made);
    } catch (error) {
      setProblem(problemOf(error));
    } finally {
      setBusy(false);
    }
  };
  const close = (): void => {
    setProblem('');
    form.clearErrors();
    onClose();
  };
  return (
    <Dialog opened={opened} title={words.title} isBusy={isBusy} isPinned onClose={close}>
      <form
        className="dialog"
        noValidate
        onSubmit={form.onSubmit((values) => void send(values), focusFirstWrong(form))}
      >
        <TextInput
          data-autofocus
          label={words.name}
          description={words.nameNote}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={63}
          {...form.getInputProps('name')}
        />
        <Checkbox.Group label={words.scopes} {...form.getInputProps('scopes')}>
          <div className="key-choices" data-path="scopes">
            {all.map((scope) => (
              <Checkbox key={scope} value={scope} label={keys.scopes[scope]} />
            ))}
          </div>
        </Checkbox.Group>
        <MultiSelect
          label={words.vacancies}
          description={words.vacanciesNote}
          data={vacancies.map(({ slug, title }) => ({ value: slug, label: title }))}
          searchable
          {...form.getInputProps('vacancies')}
        />
        <TextInput
          type="date"
          label={words.end}
          description={words.endNote}
          {...form.getInputProps('end')}
        />
        <p className="form-error" role="alert">
          {problem}
        </p>
        <DialogActions isBusy={isBusy} onCancel={close}>
          <BusyButton type="submit" isBusy={isBusy}>
            {words.action}
          </BusyButton>
        </DialogActions>
      </form>
    </Dialog>
  );
}
