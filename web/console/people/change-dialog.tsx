/** Changes what a colleague may; it holds at once, also for what they have open. */
import { useState } from 'react';
import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { changeUser } from '../api/calls';
import type { User, Vacancy } from '../api/calls';
import { asProblem } from '../api/problem';
import { useTexts } from '../language';
import { Dialog, DialogActions } from '../shell/dialog';
import { RoleFields, namedVacancies } from './role-fields';
import type { RoleValues } from './role-fields';

interface ChangeFormProps {
  user: User;
  vacancies: readonly Vacancy[];
  onClose: () => void;
  onChanged: (user: User) => void;
}

/** `user` null: nobody is being changed. */
export function ChangeDialog({
  user,
  ...props
}: Omit<ChangeFormProps, 'user'> & { user: User | null }) {
  const { people } = useTexts();
  // Stays readable while the dialog fades out.
  const [shown, setShown] = useState(user);
  if (user !== null && user !== shown) setShown(user);
  return (
    <Dialog
      opened={user !== null}
      title={people.change.title(shown?.name ?? '')}
      onClose={props.onClose}
    >
      {shown !== null && <ChangeForm key={shown.id} user={shown} {...props} />}
    </Dialog>
  );
}

function ChangeForm({ user, vacancies, onClose, onChanged }: ChangeFormProps) {
  const texts = useTexts();
  const { people } = texts;
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const form = useForm<RoleValues>({
    initialValues: { role: user.role, vacancies: user.vacancies ?? [] },
    validate: {
      vacancies: (chosen, { role }) =>
        role === 'interviewer' && chosen.length === 0 ? people.vacanciesNeeded : null,
    },
  });
  const save = async (values: RoleValues): Promise<void> => {
    if (isBusy) return;
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
  );
}
