/** What the console opens with: sign-in, a link to join, or the shell. Each is loaded when it is opened. */
import { Component, Suspense, lazy } from 'react';
import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { Frame, Opening, PageTitle } from './frame';
import { useTexts } from './language';
import { SignedIn } from './sign-in/signed-in';

const SignInPage = lazy(async () => ({
  default: (await import('./sign-in/sign-in-page')).SignInPage,
}));
const JoinPage = lazy(async () => ({ default: (await import('./join/join-page')).JoinPage }));
const OldAddress = lazy(async () => ({
  default: (await import('./reading/old-address')).OldAddress,
}));
const Shell = lazy(async () => ({ default: (await import('./shell/shell')).Shell }));

export function App() {
  return (
    <Boundary>
      <Suspense fallback={<Opening />}>
        <Switch>
          <Route path="/console/sign-in">
            <SignInPage />
          </Route>
          <Route path="/console/join/:token">{({ token }) => <JoinPage token={token} />}</Route>
          <Route path="/console/transcripts/*?">
            {({ '*': id = '' }) => <OldAddress key={id} id={id} />}
          </Route>
          <Route path="/console/signed-in">
            <SignedIn />
          </Route>
          <Route>
            <Shell />
          </Route>
        </Switch>
      </Suspense>
    </Boundary>
  );
}

/** A part that could not be loaded or shown leaves a page that can be opened again, not a blank one. */
class Boundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render() {
    return this.state.hasFailed ? <Failed /> : this.props.children;
  }
}

function Failed() {
  const { failed } = useTexts();
  return (
    <Frame title={failed.title}>
      <PageTitle>{failed.title}</PageTitle>
      <p className="lead">{failed.text}</p>
      <p className="actions">
        <button type="button" className="button" onClick={() => location.reload()}>
          {failed.again}
        </button>
      </p>
    </Frame>
  );
}
