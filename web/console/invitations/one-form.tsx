/** Invites one person; the link, the PIN and the QR code are shown in its place. */
import { useState } from 'react';
import { Button, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useLostFocus } from '../../src/components/use-lost-focus';
import { useLanguage } from '../language';
import { BusyButton } from '../shell/busy-button';
import { focusPageTitle } from '../shell/focus-back';
import { focusFirstWrong } from '../shell/focus-first-wrong';
import { inviteOne } from './calls';
import type { NewInvitation } from './calls';
import { firstDay, lastDay } from './days';
import { LinkCard } from './link-card';
import { nameOf } from './row';
import { useInvitationTexts, useProblemInWords } from './texts';
import type { InvitationTexts } from './texts';

const FIRST = { name: '', email: '', phone: '', externalId: '', validUntil: '' };
const FIELDS = ['name', 'email', 'phone', 'externalId', 'validUntil'] as const;

interface OneFormProps {
  /** Null: no vacancy is chosen. */
  slug: string | null;
  onNeeded: () => void;
}

export function OneForm({ slug, onNeeded }: OneFormProps) {
  const texts = useInvitationTexts();
  const { language } = useLanguage();
  const inWords = useProblemInWords();
  const queries = useQueryClient();
  const [made, setMade] = useState<NewInvitation | null>(null);
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  // Of the form, and of the button that brings it back.
  useLostFocus(made, focusNext);
  const form = useForm({
    initialValues: FIRST,
    validate: {
      name: (name, { email, phone }) =>
        [name, email, phone].every((text) => text.trim() === '') ? texts.one.nobody : null,
    },
  });
  const send = async (values: typeof FIRST): Promise<void> => {
    if (isBusy) return;
    if (slug === null) {
      onNeeded();
      return;
    }
    setBusy(true);
    setProblem('');
    try {
      setMade(await inviteOne(slug, filled(values), language));
      form.reset();
      void queries.invalidateQueries({ queryKey: ['invitations'] });
    } catch (error) {
      setProblem(inWords(error, (column) => labelOf(texts, column)));
    } finally {
      setBusy(false);
    }
  };
  if (made !== null) {
    return (
      <section className="section" aria-labelledby="made">
        <h2 id="made" tabIndex={-1}>
          {texts.link.title(nameOf(made) ?? texts.nameless)}
        </h2>
        <LinkCard key={made.id} made={made} />
        <p>
          <Button variant="default" onClick={() => setMade(null)}>
            {texts.one.another}
          </Button>
        </p>
      </section>
    );
  }
  return (
    <form
      className="one-form"
      noValidate
      onSubmit={form.onSubmit((values) => void send(values), focusFirstWrong(form))}
    >
      <p className="soft">{texts.one.lead}</p>
      <TextInput
        label={texts.one.name}
        autoComplete="off"
        maxLength={200}
        {...form.getInputProps('name')}
      />
      <TextInput
        label={texts.one.email}
        type="email"
        autoComplete="off"
        maxLength={254}
        {...form.getInputProps('email')}
      />
      <TextInput
        label={texts.one.phone}
        type="tel"
        autoComplete="off"
        maxLength={100}
        {...form.getInputProps('phone')}
      />
      <TextInput
        label={texts.one.externalId}
        description={texts.one.externalIdNote}
        autoComplete="off"
        maxLength={200}
        {...form.getInputProps('externalId')}
      />
      <TextInput
        label={texts.one.validUntil}
        description={texts.one.validUntilNote}
        type="date"
        min={firstDay()}
        max={lastDay()}
        {...form.getInputProps('validUntil')}
      />
      <p className="form-error" role="alert">
        {problem}
      </p>
      <p>
        <BusyButton type="submit" isBusy={isBusy}>
          {texts.one.action}
        </BusyButton>
      </p>
    </form>
  );
}

function focusNext(): void {
  const heading = document.getElementById('made');
  if (heading === null) focusPageTitle();
  else heading.focus({ preventScroll: true });
}

/** Without the fields that are empty. */
function filled(values: typeof FIRST): Partial<typeof FIRST> {
  const given = FIELDS.map((field) => [field, values[field].trim()] as const);
  return Object.fromEntries(given.filter(([, text]) => text !== ''));
}

/** How the form calls what the server names. */
function labelOf({ one }: InvitationTexts, column: string): string | undefined {
  const field = FIELDS.find((name) => name === column);
  return field === undefined ? undefined : one[field];
}
