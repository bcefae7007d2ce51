/** The signed-in person: who they are here, where they are signed in, and their password. */
import { useRef, useState } from 'react';
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLostFocus } from '../../src/components/use-lost-focus';
import { endOtherSessions, endSession, listSessions } from '../api/calls';
import type { OwnSession } from '../api/calls';
import { useTexts } from '../language';
import { Ago, Moment } from '../moments';
import { ConfirmDialog } from '../shell/dialog';
import type { Question } from '../shell/dialog';
import { focusPageTitle } from '../shell/focus-back';
import { useListKeys } from '../shell/keyboard';
import { told } from '../shell/notice';
import { Page } from '../shell/page';
import { NotLoaded, Waiting } from '../shell/sentence';
import { SESSIONS, useSession } from '../shell/session';
import { useVacanciesInWords } from '../vacancies';
import { PasswordForm } from './password-form';

export function AccountPage() {
  const texts = useTexts();
  const { account, roles, people } = texts;
  const inWords = useVacanciesInWords();
  const { user, method } = useSession();
  const facts: [string, string | null][] = [
    [texts.fields.name, user.name],
    [texts.fields.email, user.email],
    [people.role, `${roles[user.role].name}. ${roles[user.role].text}`],
    [people.vacancies, inWords(user.vacancies)],
  ];
  return (
    <Page title={account.title}>
      <dl className="facts">
        {facts
          .filter(([, value]) => value !== null)
          .map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      <Sessions />
      <section className="section" aria-labelledby="password">
        <h2 id="password">{account.password.title}</h2>
        {method === 'password' ? (
          <PasswordForm />
        ) : (
          <p className="page-lead">{account.password.elsewhere}</p>
        )}
      </section>
    </Page>
  );
}

function Sessions() {
  const { sessions: words } = useTexts().account;
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({ queryKey: SESSIONS, queryFn: listSessions });
  const [question, setQuestion] = useState<Question | null>(null);
  const rows = useRef<HTMLUListElement>(null);
  useListKeys(rows, '.person-menu');
  // Of a row that has gone.
  useLostFocus(data, focusPageTitle);
  // What the server could not name.
  const deviceOf = ({ device }: OwnSession): string =>
    device === 'unknown' ? words.unknownDevice : device;
  const run = (end: () => Promise<unknown>, done: string) => async (): Promise<void> => {
    await end();
    told(done);
    await queries.invalidateQueries({ queryKey: SESSIONS });
  };
  const askOne = (one: OwnSession): void => {
    const { done, title, ...asked } = words.one;
    const end = run(() => endSession(one.id), done);
    setQuestion({ ...asked, title: title(deviceOf(one)), run: end });
  };
  const askAll = (): void => {
    const { done, ...asked } = words.others;
    setQuestion({ ...asked, run: run(endOtherSessions, done) });
  };
  const sessions = data?.sessions ?? [];
  return (
    <section className="section people" aria-labelledby="sessions">
      <div className="section-header">
        <h2 id="sessions">{words.title}</h2>
        {sessions.length > 1 && (
          <Button variant="default" size="sm" onClick={askAll}>
            {words.others.action}
          </Button>
        )}
      </div>
      {data === undefined &&
        (error === null ? <Waiting rows={2} /> : <NotLoaded error={error} onAgain={refetch} />)}
      <ul ref={rows}>
        {sessions.map((one) => (
          <li key={one.id} className="person person-session">
            <div className="person-who">
              <strong>{deviceOf(one)}</strong>
              {one.isCurrent && <span className="tag">{words.current}</span>}
              <span className="soft person-mail">
                {words.since} <Moment at={one.createdAt} />
              </span>
            </div>
            <div className="person-seen">
              <span>
                {words.seen} <Ago at={one.seenAt} />
              </span>
              <span className="soft">{words.methods[one.method]}</span>
            </div>
            {!one.isCurrent && (
              <Button
                className="person-menu"
                variant="subtle"
                size="sm"
                aria-label={words.one.title(deviceOf(one))}
                onClick={() => askOne(one)}
              >
                {words.one.action}
              </Button>
            )}
          </li>
        ))}
      </ul>
      <ConfirmDialog question={question} onClose={() => setQuestion(null)} />
    </section>
  );
}
