/** Invites a colleague: a role, and what is known of them. The link is shown by the page, once. */
import { useState } from 'react';
import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { invite } from '../api/calls';
import type { Role, Vacancy } from '../api/calls';
import { asProblem } from '../api/problem';
import { isEmail, isName } from '../join/person';
import { useTexts } from '../language';
import { BusyButton } from '../shell/busy-button';
import { Dialog, DialogActions } from '../shell/dialog';
import { focusFirstWrong } from '../shell/focus-first-wrong';
import type { FreshLink } from './people-page';
import { RoleFields, namedVacancies } from './role-fields';

interface InviteDialogProps {
  opened: boolean;
  vacancies: readonly Vacancy[];
  onClose: () => void;
  onInvited: (link: FreshLink) => void;
}

const FIRST = { name: '', email: '', role: 'recruiter' as Role, vacancies: [] as string[] };

export function InviteDialog({ opened, vacancies, onClose, onInvited }: InviteDialogProps) {
  const texts = useTexts();
  const { people } = texts;
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const form = useForm({
    initialValues: FIRST,
    validate: {
      name: (name) => (name.trim() === '' || isName(name) ? null : texts.wrong.name),
      email: (email) => (email.trim() === '' || isEmail(email) ? null : texts.wrong.email),
      vacancies: (chosen, { role }) =>
        role === 'interviewer' && chosen.length === 0 ? people.vacanciesNeeded : null,
    },
  });
  const send = async (values: typeof FIRST): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setProblem('');
    const { role } = values;
    const [name, email] = [values.name.trim(), values.email.trim()];
    try {
      const made = await invite({ role, vacancies: namedVacancies(values), name, email });
      form.reset();
      onInvited({ ...made, kind: 'invitation', name: name === '' ? null : name });
    } catch (error) {
      setProblem(texts.problem(asProblem(error)));
    } finally {
      setBusy(false);
    }
  };
  /** What was typed is there when the dialog is opened again, and no problem that may be gone. */
  const close = (): void => {
    setProblem('');
    form.clearErrors();
    onClose();
  };
  return (
    <Dialog opened={opened} title={people.invite.title} isBusy={isBusy} onClose={close}>
      <form
        className="dialog"
        noValidate
        onSubmit={form.onSubmit((values) => void send(values), focusFirstWrong(form))}
      >
        <TextInput
          data-autofocus
          label={people.invite.name}
          autoComplete="off"
          maxLength={200}
          {...form.getInputProps('name')}
        />
        <TextInput
          label={people.invite.email}
          type="email"
          autoComplete="off"
          maxLength={254}
          {...form.getInputProps('email')}
        />
        <RoleFields form={form} vacancies={vacancies} />
        <p className="form-error" role="alert">
          {problem}
        </p>
        <DialogActions isBusy={isBusy} onCancel={close}>
          <BusyButton type="submit" isBusy={isBusy}>
            {people.invite.action}
          </BusyButton>
        </DialogActions>
      </form>
    </Dialog>
  );
}
