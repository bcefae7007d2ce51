/** The link, the PIN and the QR code of an invitation that was just made, and a message to send with them. */
import { Suspense, lazy, useId, useRef, useState } from 'react';
import { Button, TextInput, Textarea } from '@mantine/core';
import { useLanguage } from '../language';
import { useCopy } from '../shell/use-copy';
import { useVacancies } from '../vacancies';
import type { Language } from '../../src/api/wire';
import type { NewInvitation } from './calls';
import { messageOf } from './message';
import { useInvitationTexts } from './texts';

const QrCode = lazy(async () => ({ default: (await import('./qr-code')).QrCode }));

const LANGUAGES = ['ru', 'en'] as const satisfies readonly Language[];

export function LinkCard({ made }: { made: NewInvitation }) {
  const texts = useInvitationTexts();
  const { language } = useLanguage();
  const { vacancies } = useVacancies();
  const vacancy = vacancies.find(({ slug }) => slug === made.vacancy);
  const { link, validUntil, candidate } = made;
  const title = vacancy?.title ?? made.vacancy;
  const company = vacancy?.company ?? '';
  return (
    <div className="link-card">
      <p className="link-once">{texts.link.once}</p>
      <div className="link-columns">
        <div className="link-fields">
          <Copied label={texts.link.web} value={link.web} action={texts.link.copy} isFirst />
          {link.telegram !== null && (
            <TextInput
              readOnly
              label={texts.link.telegram}
              value={link.telegram}
              onFocus={(event) => event.currentTarget.select()}
            />
          )}
          <TextInput
            readOnly
            label={texts.link.pin}
            description={texts.link.pinNote}
            value={link.pin}
            onFocus={(event) => event.currentTarget.select()}
          />
        </div>
        <Suspense fallback={<div className="qr" />}>
          <QrCode
            link={link.web}
            title={title}
            company={company}
            name={candidate.name}
            validUntil={validUntil}
          />
        </Suspense>
      </div>
      <Message
        key={vacancy?.slug}
        first={vacancy?.language ?? language}
        textIn={(wanted) =>
          messageOf(
            {
              ...{ name: candidate.name, title, company, validUntil },
              ...{ minutes: vacancy?.minutes ?? 15, web: link.web, telegram: link.telegram },
            },
            wanted,
          )
        }
      />
    </div>
  );
}

function Message({ first, textIn }: { first: Language; textIn: (language: Language) => string }) {
  const texts = useInvitationTexts();
  const [language, setLanguage] = useState(first);
  const [text, setText] = useState(() => textIn(first));
  const label = useId();
  return (
    <div className="link-message">
      <div className="link-languages" role="group" aria-labelledby={label}>
        <span id={label}>{texts.link.message}</span>
        {LANGUAGES.map((one) => (
          <Button
            key={one}
            size="xs"
            variant={one === language ? 'filled' : 'default'}
            aria-pressed={one === language}
            onClick={() => {
              setLanguage(one);
              setText(textIn(one));
            }}
          >
            {texts.link.messageIn[one]}
          </Button>
        ))}
      </div>
      <Copied
        label={texts.link.message}
        description={texts.link.messageNote}
        value={text}
        lang={language}
        action={texts.link.copyMessage}
        onValue={setText}
      />
    </div>
  );
}

interface CopiedProps {
  label: string;
  description?: string;
  value: string;
  action: string;
  /** Takes the focus when the card appears. */
  isFirst?: boolean;
  lang?: string;
  /** It can be changed. */
  onValue?: (value: string) => void;
}

/** A text with a button that copies it. */
function Copied({ label, description, value, action, isFirst, lang, onValue }: CopiedProps) {
  const texts = useInvitationTexts();
  const line = useRef<HTMLInputElement>(null);
  const lines = useRef<HTMLTextAreaElement>(null);
  const { copy, outcomeOf } = useCopy();
  const copied = outcomeOf(value);
  return (
    <div className="copied">
      {onValue === undefined ? (
        <TextInput
          ref={line}
          readOnly
          label={label}
          value={value}
          onFocus={(event) => event.currentTarget.select()}
        />
      ) : (
        <Textarea
          ref={lines}
          aria-label={label}
          description={description}
          rows={11}
          lang={lang}
          value={value}
          onChange={(event) => onValue(event.currentTarget.value)}
        />
      )}
      <Button
        variant={isFirst === true ? 'filled' : 'default'}
        data-autofocus={isFirst}
        onClick={() => void copy(value, line.current ?? lines.current)}
      >
        {copied === 'done' ? texts.link.copied : action}
      </Button>
      <p className="form-error" role="alert">
        {copied === 'refused' ? texts.link.refused : ''}
      </p>
      <p className="for-readers" role="status">
        {copied === 'done' ? texts.link.copied : ''}
      </p>
    </div>
  );
}
