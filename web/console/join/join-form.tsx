/** A colleague's name, address and password; for somebody who has joined before, a new password only. */
import { useId, useRef, useState } from 'react';
import type { SubmitEvent } from 'react';
import { useLocation } from 'wouter';
import { BusyButton } from '../../src/components/busy-button';
import { colleagueOf } from '../actor';
import { redeemLink } from '../api/calls';
import type { Link } from '../api/calls';
import { asProblem } from '../api/problem';
import { tellSignedIn } from '../api/signed-in-elsewhere';
import { Field, focusField } from '../field';
import { Frame, PageTitle } from '../frame';
import { useTexts } from '../language';
import { HOME } from '../places';
import { weaknessOf } from './password';
import { isEmail, isName } from './person';

interface JoinFormProps {
  token: string;
  link: Link;
  onEnded: () => void;
}

type FieldName = 'name' | 'email' | 'password';
const FIELD_OF: Readonly<Record<string, FieldName>> = {
  user_name_taken: 'name',
  user_email_taken: 'email',
  password_weak: 'password',
};

export function JoinForm({ token, link, onEnded }: JoinFormProps) {
  const texts = useTexts();
  const isInvitation = link.kind === 'invitation';
  const [, navigate] = useLocation();
  const [given, setGiven] = useState({
    name: link.name ?? '',
    email: link.email ?? '',
    password: '',
  });
  const [problem, setProblem] = useState<{ field: FieldName | null; text: string } | null>(null);
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const problemId = useId();
  const set = (field: FieldName) => (value: string) => setGiven({ ...given, [field]: value });
  const name = given.name.trim();
  const email = given.email.trim();

  const wrong = (): typeof problem => {
    const { missing } = texts.join;
    if (isInvitation && name === '') return { field: 'name', text: missing.name };
    if (isInvitation && !isName(name)) return { field: 'name', text: texts.wrong.name };
    if (isInvitation && email === '') return { field: 'email', text: missing.email };
    if (isInvitation && !isEmail(email)) return { field: 'email', text: texts.wrong.email };
    const weakness = weaknessOf(given.password, [name, email, email.split('@')[0] ?? '']);
    return weakness && { field: 'password', text: texts.weakness[weakness] };
  };
  const show = (found: NonNullable<typeof problem>): void => {
    setProblem(found);
    if (found.field !== null) focusField(form.current, found.field);
  };
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const found = wrong();
    if (found !== null) {
      show(found);
      return;
    }
    setProblem(null);
    setBusy(true);
    const { password } = given;
    try {
      await redeemLink(token, isInvitation ? { name, email, password } : { password });
      tellSignedIn();
      navigate(HOME, { replace: true });
    } catch (error) {
      const failure = asProblem(error);
      setBusy(false);
      if (failure.status === 410 || failure.status === 404) onEnded();
      else show({ field: FIELD_OF[failure.code] ?? null, text: texts.problem(failure) });
    }
  };
  const fieldOf = (field: FieldName) => ({
    name: field,
    label: texts.fields[field],
    value: given[field],
    onValue: set(field),
    isInvalid: problem?.field === field,
    ...(problem?.field === field ? { describedBy: problemId } : {}),
  });
  const { title, lead } = isInvitation ? texts.join.invitation : texts.join.password;
  return (
    <Frame title={title}>
      <PageTitle>{title}</PageTitle>
      <p className="lead">{lead(colleagueOf(link.invitedBy))}</p>
      {isInvitation && (
        <p className="entry-role">
          <strong>{texts.roles[link.role].name}</strong>
          <span>{texts.roles[link.role].text}</span>
          {link.vacancies !== null && (
            <span>
              {texts.join.vacancies(link.vacancies.map((vacancy) => vacancy.title).join(', '))}
            </span>
          )}
        </p>
      )}
      <form ref={form} className="profile" noValidate onSubmit={(event) => void submit(event)}>
        {isInvitation && (
          <>
            <Field {...fieldOf('name')} type="text" autoComplete="name" />
            <Field {...fieldOf('email')} type="email" autoComplete="username" />
          </>
        )}
        {/* Lets a password manager keep the new password with its address. */}
        {!isInvitation && email !== '' && (
          <input hidden readOnly name="username" autoComplete="username" value={email} />
        )}
        <Field
          {...fieldOf('password')}
          label={isInvitation ? texts.fields.password : texts.fields.newPassword}
          type="password"
          autoComplete="new-password"
          note={texts.fields.passwordNote}
        />
        <p id={problemId} className="form-error" role="alert">
          {problem?.text ?? ''}
        </p>
        <p className="actions">
          <BusyButton type="submit" className="button entry-button" isBusy={isBusy}>
            {isInvitation ? texts.join.invitation.action : texts.join.password.action}
          </BusyButton>
        </p>
      </form>
    </Frame>
  );
}
