/** Changes what a colleague may; it holds at once, also for what they have open. */
import { useState } from 'react';
import { useForm } from '@mantine/form';
import { changeUser } from '../api/calls';
import type { User, Vacancy } from '../api/calls';
import { asProblem } from '../api/problem';
import { useTexts } from '../language';
import { BusyButton } from '../shell/busy-button';
import { Dialog, DialogActions } from '../shell/dialog';
import { focusFirstWrong } from '../shell/focus-first-wrong';
import { RoleFields, namedVacancies } from './role-fields';
import type { RoleValues } from './role-fields';

interface ChangeDialogProps {
  /** Null: nobody is being changed. */
  user: User | null;
  vacancies: readonly Vacancy[];
  onClose: () => void;
  onChanged: (user: User) => void;
}

export function ChangeDialog({ user, ...props }: ChangeDialogProps) {
  const { people } = useTexts();
  // Stays readable while the dialog fades out.
  const [shown, setShown] = useState(user);
  if (user !== null && user !== shown) setShown(user);
  const [isBusy, setBusy] = useState(false);
  return (
    <Dialog
      opened={user !== null}
      title={people.change.title(shown?.name ?? '')}
      isBusy={isBusy}
      onClose={props.onClose}
    >
      {shown !== null && (
        <ChangeForm key={shown.id} user={shown} isBusy={isBusy} setBusy={setBusy} {...props} />
      )}
    </Dialog>
  );
}

interface ChangeFormProps extends ChangeDialogProps {
  user: User;
  isBusy: boolean;
  setBusy: (isBusy: boolean) => void;
}

function ChangeForm({ user, vacancies, isBusy, setBusy, onClose, onChanged }: ChangeFormProps) {
  const texts = useTexts();
  const { people } = texts;
  const [problem, setProblem] = useState('');
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
    <form
      className="dialog"
      noValidate
      onSubmit={form.onSubmit((values) => void save(values), focusFirstWrong(form))}
    >
      {user.method === 'oidc' && <p>{people.change.oidc}</p>}
      <RoleFields form={form} vacancies={vacancies} />
      <p className="form-error" role="alert">
        {problem}
      </p>
      <DialogActions isBusy={isBusy} onCancel={onClose}>
        <BusyButton type="submit" isBusy={isBusy}>
          {people.change.action}
        </BusyButton>
      </DialogActions>
    </form>
  );
}
