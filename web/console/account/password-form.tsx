/** A new password of one's own. Everywhere else one is signed out. */
import { useState } from 'react';
import { Button, PasswordInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { changePassword } from '../api/calls';
import { asProblem } from '../api/problem';
import { weaknessOf } from '../join/password';
import { useTexts } from '../language';
import { told } from '../shell/notice';
import { useSession } from '../shell/session';

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
  const save = async ({ current, next }: { current: string; next: string }): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setProblem('');
    try {
      await changePassword(current, next);
      form.reset();
      told(words.done);
      await queries.invalidateQueries({ queryKey: ['sessions'] });
    } catch (error) {
      const failure = asProblem(error);
      if (failure.code === 'sign_in_wrong') form.setFieldError('current', texts.gate.confirm.wrong);
      else if (failure.code === 'password_weak') form.setFieldError('next', texts.problem(failure));
      else setProblem(texts.problem(failure));
    } finally {
      setBusy(false);
    }
  };
  const visibility = { visibilityToggleButtonProps: { 'aria-label': texts.fields.show } };
  return (
    <form className="account-form" noValidate onSubmit={form.onSubmit((given) => void save(given))}>
      {/* Lets a password manager know whose password it is. */}
      <input type="hidden" name="username" autoComplete="username" value={email ?? ''} />
      <PasswordInput
        label={words.current}
        autoComplete="current-password"
        {...visibility}
        {...form.getInputProps('current')}
      />
      <PasswordInput
        label={texts.fields.newPassword}
        description={texts.fields.passwordNote}
        autoComplete="new-password"
        {...visibility}
        {...form.getInputProps('next')}
      />
      <p className="form-error" role="alert">
        {problem}
      </p>
      <p>
        <Button type="submit" loading={isBusy}>
          {words.action}
        </Button>
      </p>
    </form>
  );
}
