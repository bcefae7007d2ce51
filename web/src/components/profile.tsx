/** Asks for what the team does not know yet: a name, one contact, or both. */
import { useState } from 'react';
import type { SyntheticEvent } from 'react';
import type { ProfileField } from '../api/wire';
import { looksLikeContact } from '../contact';
import type { ConversationState } from '../state/conversation';
import type { ConversationSession } from '../state/session';
import { Frame, PageTitle } from './frame';
import { useTexts } from './language';
import { LeaveFooter } from './leave-footer';
import { BusyButton } from './busy-button';

const LIMITS: Record<ProfileField, number> = { name: 120, contact: 200 };
const AUTOCOMPLETE: Record<ProfileField, string> = { name: 'name', contact: 'email' };

interface ProfileProps {
  session: ConversationSession;
  view: ConversationState['view'];
}

export function Profile({ session, view }: ProfileProps) {
  const texts = useTexts();
  const { needed } = view.profile;
  const [values, setValues] = useState<Record<ProfileField, string>>({ name: '', contact: '' });
  const [missing, setMissing] = useState<ProfileField | null>(null);
  /** The contact that was sent off and looks like none: the next press confirms it. */
  const [unusual, setUnusual] = useState<string | null>(null);
  const [step, setStep] = useState<'filling' | 'sending' | 'failed'>('filling');

  const submit = async (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const empty = needed.find((field) => values[field].trim() === '') ?? null;
    setMissing(empty);
    if (empty) {
      form.querySelector<HTMLInputElement>(`[name=${empty}]`)?.focus();
      return;
    }
    const contact = needed.includes('contact') ? values.contact.trim() : null;
    if (contact !== null && contact !== unusual && !looksLikeContact(contact)) {
      setUnusual(contact);
      return;
    }
    setStep('sending');
    try {
      await session.requests.profile(
        Object.fromEntries(needed.map((field) => [field, values[field].trim()])),
      );
    } catch {
      setStep('failed');
    }
  };

  return (
    <Frame footer={<LeaveFooter session={session} company={view.company} />}>
      <title>{texts.documentTitle(view.company, view.vacancyTitle)}</title>
      <p className="kicker">{view.vacancyTitle}</p>
      <PageTitle>
        {needed.includes('contact') ? texts.profile.titleContact : texts.profile.titleName}
      </PageTitle>
      <p className="lead">{texts.profile.lead}</p>
      <form className="profile" noValidate onSubmit={(event) => void submit(event)}>
        {needed.map((field) => (
          <Field
            key={field}
            field={field}
            value={values[field]}
            isMissing={missing === field}
            onChange={(value) => {
              setValues({ ...values, [field]: value });
              if (missing === field) setMissing(null);
              if (field === 'contact') setUnusual(null);
            }}
          />
        ))}
        <p className="form-question" role="status">
          {unusual !== null && texts.profile.unusual}
        </p>
        <p className="form-error" role="alert">
          {step === 'failed' && texts.profile.failed}
        </p>
        <div className="actions">
          <BusyButton type="submit" className="button" isBusy={step === 'sending'}>
            {unusual === null ? texts.profile.start : texts.profile.confirm}
          </BusyButton>
        </div>
      </form>
    </Frame>
  );
}

interface FieldProps {
  field: ProfileField;
  value: string;
  isMissing: boolean;
  onChange: (value: string) => void;
}

function Field({ field, value, isMissing, onChange }: FieldProps) {
  const { profile } = useTexts();
  const noteId = `profile-${field}-note`;
  const note = isMissing ? profile.missing[field] : field === 'contact' ? profile.contactHint : '';
  return (
    <div className="field">
      <label htmlFor={`profile-${field}`}>{profile[field]}</label>
      <input
        id={`profile-${field}`}
        name={field}
        value={value}
        maxLength={LIMITS[field]}
        autoComplete={AUTOCOMPLETE[field]}
        required
        aria-invalid={isMissing}
        aria-describedby={noteId}
        onChange={(event) => onChange(event.target.value)}
      />
      <p id={noteId} className={isMissing ? 'field-note field-note-missing' : 'field-note'}>
        {note}
      </p>
    </div>
  );
}
