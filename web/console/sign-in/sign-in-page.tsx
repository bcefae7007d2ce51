/** Signs a colleague in by password or single sign-on, and goes on to where they wanted to go. */
import { useEffect, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { readSession, signInOptions } from '../api/calls';
import { Frame, PageTitle } from '../frame';
import { useLanguage } from '../language';
import { HOME, destinationOf, singleSignOn } from '../places';
import { SignInForm } from './sign-in-form';

interface Ways {
  password: boolean;
  oidc: { name: string } | null;
  company: string | null;
}

/** Without a response: a password is the way that every server has unless it says otherwise. */
const USUAL: Ways = { password: true, oidc: null, company: null };

export function SignInPage() {
  const { texts, language } = useLanguage();
  const search = useSearch();
  const goOn = useGoOn(destinationOf(search));
  const found = useWays();
  const problem = new URLSearchParams(search).get('problem');
  // Also somebody who is signed in reads first what went wrong.
  const isOnTheWay = found === 'signed in' && problem === null;
  useEffect(() => {
    if (isOnTheWay) goOn();
  });
  const ways = found === 'signed in' ? null : found;
  return (
    <Frame title={texts.signIn.title}>
      <PageTitle>{texts.signIn.title}</PageTitle>
      <p className="lead">{texts.signIn.lead(ways?.company ?? null)}</p>
      {problem !== null && (
        <p className="form-error" role="alert">
          {texts.singleSignOnProblem(problem)}
        </p>
      )}
      {found === 'signed in' && !isOnTheWay && (
        <p className="actions">
          <a className="button" href={HOME}>
            {texts.signedIn.open}
          </a>
        </p>
      )}
      {ways !== null && (
        <>
          {ways.oidc !== null && (
            <p className="actions">
              <a
                className={`button entry-button ${ways.password ? 'button-plain' : ''}`}
                href={singleSignOn(destinationOf(search))}
              >
                {texts.signIn.with(ways.oidc.name)}
              </a>
            </p>
          )}
          {ways.oidc !== null && ways.password && <p className="entry-or">{texts.signIn.or}</p>}
          {ways.password && <SignInForm onSignedIn={goOn} />}
          {ways.password && <p className="entry-note">{texts.signIn.forgotten}</p>}
          <p className="entry-note">
            <a href={`/console/transcripts?language=${language}`}>{texts.signIn.withToken}</a>
          </p>
        </>
      )}
    </Frame>
  );
}

function useGoOn(to: string): () => void {
  const [, navigate] = useLocation();
  return () => navigate(to, { replace: true });
}

/** Null until it is known. */
function useWays(): Ways | 'signed in' | null {
  const [ways, setWays] = useState<Ways | 'signed in' | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const session = readSession().then(
      () => true,
      () => false,
    );
    const options = signInOptions().catch(() => USUAL);
    void Promise.all([session, options]).then(([isSignedIn, found]) => {
      if (isCurrent) setWays(isSignedIn ? 'signed in' : found);
    });
    return () => {
      isCurrent = false;
    };
  }, []);
  return ways;
}
