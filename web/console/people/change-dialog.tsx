/** Changes what a colleague may; it holds at once, also for what they have open. */
import { useEffect, useState } from 'react';
import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { changeUser } from '../api/calls';
import type { User, Vacancy } from '../api/calls';
import { asProblem } from '../api/problem';
import { useTexts } from '../language';
import { Dialog, DialogActions } from '../shell/dialog';
import { RoleFields, namedVacancies } from './role-fields';
import type { RoleValues } from './role-fields';

interface ChangeDialogProps {
  /** Null: nobody is being changed. */
  user: User | null;
  vacancies: readonly Vacancy[];
  onClose: () => void;
  onChanged: (user: User) => void;
}

export function ChangeDialog({ user, vacancies, onClose, onChanged }: ChangeDialogProps) {
  const texts = useTexts();
  const { people } = texts;
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const form = useForm<RoleValues>({
    initialValues: { role: 'recruiter', vacancies: [] },
    validate: {
      vacancies: (chosen, { role }) =>
        role === 'interviewer' && chosen.length === 0 ? people.vacanciesNeeded : null,
    },
  });
  useEffect(() => {
    if (user === null) return;
    setProblem('');
    form.setValues({ role: user.role, vacancies: user.vacancies ?? [] });
    form.clearErrors();
    // Filled when the dialog opens for somebody, not while it is being filled in.
  }, [user?.id]);
  const save = async (values: RoleValues): Promise<void> => {
    if (user === null || isBusy) return;
    setBusy(true);
    setProblem('');
    try {
      await changeUser(user.id, { role: values.role, vacancies: namedVacancies(values) });
      onChanged(user);
    } catch (error) {
      setProblem(texts.problem(asProblem(error)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog opened={user !== null} title={people.change.title(user?.name ?? '')} onClose={onClose}>
      <form className="dialog" noValidate onSubmit={form.onSubmit((values) => void save(values))}>
        <RoleFields form={form} vacancies={vacancies} />
        <p className="form-error" role="alert">
          {problem}
        </p>
        <DialogActions onCancel={onClose}>
          <Button type="submit" loading={isBusy}>
            {people.change.action}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
