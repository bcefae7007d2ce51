/**
 * Where single sign-on ends that a dialog has begun in a window of its own: it tells the page with the dialog, and
 * closes. A browser that does not let it close shows what to do.
 */
import { useEffect } from 'react';
import { tellSignedIn } from '../api/signed-in-elsewhere';
import { Frame, PageTitle } from '../frame';
import { useTexts } from '../language';
import { HOME } from '../places';

export const SIGNED_IN = '/console/signed-in';

export function SignedIn() {
  const { signedIn } = useTexts();
  useEffect(() => {
    tellSignedIn();
    window.close();
  }, []);
  return (
    <Frame title={signedIn.title}>
      <PageTitle>{signedIn.title}</PageTitle>
      <p className="lead">{signedIn.text}</p>
      <p className="actions">
        <a className="button" href={HOME}>
          {signedIn.open}
        </a>
      </p>
    </Frame>
  );
}
