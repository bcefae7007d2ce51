/** A new password of one's own. Everywhere else one is signed out. */
import { useState } from 'react';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { changePassword } from '../api/calls';
import { asProblem } from '../api/problem';
import { weaknessOf } from '../join/password';
import { useTexts } from '../language';
import { BusyButton } from '../shell/busy-button';
import { focusFirstWrong } from '../shell/focus-first-wrong';
import { told } from '../shell/notice';
import { PasswordField } from '../shell/password-field';
import { SESSIONS, useSession } from '../shell/session';

export function PasswordForm() {
  const texts = useTexts();
  const { password: words } = texts.account;
  const { name, email } = useSession().user;
  const queries = useQueryClient();
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const form = useForm({
    initialValues: { current: '', next: '' },
    validate: {
      current: (given) => (given === '' ? words.missing : null),
      next: (given) => {
        const weakness = weaknessOf(given, [name, email ?? '', email?.split('@')[0] ?? '']);
        return weakness === null ? null : texts.weakness[weakness];
      },
    },
  });
  const refuse = (errors: Record<string, string>): void => {
    form.setErrors(errors);
    focusFirstWrong(form)(errors);
  };
  const save = async ({ current, next }: { current: string; next: string }): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setProblem('');
    try {
      await changePassword(current, next);
      form.reset();
      told(words.done);
      await queries.invalidateQueries({ queryKey: SESSIONS });
    } catch (error) {
      const failure = asProblem(error);
      if (failure.code === 'sign_in_wrong') refuse({ current: texts.gate.confirm.wrong });
      else if (failure.code === 'password_weak') refuse({ next: texts.problem(failure) });
      else setProblem(texts.problem(failure));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      className="account-form"
      noValidate
      onSubmit={form.onSubmit((given) => void save(given), focusFirstWrong(form))}
    >
      {/* Lets a password manager know whose password it is. */}
      <input hidden readOnly name="username" autoComplete="username" value={email ?? ''} />
      <PasswordField
        label={words.current}
        autoComplete="current-password"
        {...form.getInputProps('current')}
      />
      <PasswordField
        label={texts.fields.newPassword}
        description={texts.fields.passwordNote}
        autoComplete="new-password"
        {...form.getInputProps('next')}
      />
      <p className="form-error" role="alert">
        {problem}
      </p>
      <p>
        <BusyButton type="submit" isBusy={isBusy}>
          {words.action}
        </BusyButton>
      </p>
    </form>
  );
}
