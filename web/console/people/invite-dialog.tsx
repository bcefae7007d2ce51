/** Invites a colleague: a role, and what is known of them. The link is shown by the page, once. */
import { useState } from 'react';
import { Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { invite } from '../api/calls';
import type { Role, Vacancy } from '../api/calls';
import { asProblem } from '../api/problem';
import { useTexts } from '../language';
import { Dialog, DialogActions } from '../shell/dialog';
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
      email: (email) =>
        email.trim() === '' || /^[^\s@]+@[^\s@]+$/.test(email.trim())
          ? null
          : texts.join.missing.email,
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
  return (
    <Dialog opened={opened} title={people.invite.title} onClose={onClose}>
      <form className="dialog" noValidate onSubmit={form.onSubmit((values) => void send(values))}>
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
          maxLength={300}
          {...form.getInputProps('email')}
        />
        <RoleFields form={form} vacancies={vacancies} />
        <p className="form-error" role="alert">
          {problem}
        </p>
        <DialogActions onCancel={onClose}>
          <Button type="submit" loading={isBusy}>
            {people.invite.action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
