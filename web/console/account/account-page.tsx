/** The signed-in person: who they are here, where they are signed in, and their password. */
import { useRef, useState } from 'react';
import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { endOtherSessions, endSession, listSessions } from '../api/calls';
import type { OwnSession } from '../api/calls';
import { asProblem } from '../api/problem';
import { useTexts } from '../language';
import { Ago, Moment } from '../moments';
import { ConfirmDialog } from '../shell/dialog';
import type { Question } from '../shell/dialog';
import { useListKeys } from '../shell/keyboard';
import { told } from '../shell/notice';
import { Page } from '../shell/page';
import { useSession } from '../shell/session';
import { PasswordForm } from './password-form';

const SESSIONS = ['sessions'] as const;

export function AccountPage() {
  const texts = useTexts();
  const { account, roles, people } = texts;
  const { user, method } = useSession();
  const facts: [string, string | null][] = [
    [texts.fields.name, user.name],
    [texts.fields.email, user.email],
    [people.role, `${roles[user.role].name}. ${roles[user.role].text}`],
    [people.vacancies, user.vacancies === null ? people.allVacancies : user.vacancies.join(', ')],
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
  const texts = useTexts();
  const { sessions: words } = texts.account;
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery({ queryKey: SESSIONS, queryFn: listSessions });
  const [question, setQuestion] = useState<Question | null>(null);
  const rows = useRef<HTMLUListElement>(null);
  useListKeys(rows, '.person-menu');
  const run = (end: () => Promise<unknown>, done: string) => async (): Promise<void> => {
    await end();
    told(done);
    await queries.invalidateQueries({ queryKey: SESSIONS });
  };
  const askOne = ({ id, device }: OwnSession): void => {
    const { action, done, title, text } = words.one;
    setQuestion({ title: title(device), text, action, run: run(() => endSession(id), done) });
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
      {error !== null && data === undefined && (
        <div className="sentence">
          <h3>{texts.problem(asProblem(error))}</h3>
          <Button variant="default" onClick={() => void refetch()}>
            {texts.failed.again}
          </Button>
        </div>
      )}
      <ul ref={rows} aria-busy={data === undefined && error === null}>
        {sessions.map((one) => (
          <li key={one.id} className="person person-session">
            <div className="person-who">
              <strong>{one.device}</strong>
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
                aria-label={words.one.title(one.device)}
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
