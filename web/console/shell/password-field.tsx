/** Mantine's field of a password; the button that shows it is reached by keyboard too. */
import { PasswordInput } from '@mantine/core';
import type { PasswordInputProps } from '@mantine/core';
import { useTexts } from '../language';

export function PasswordField({ label, ...props }: PasswordInputProps & { label: string }) {
  const { fields } = useTexts();
  return (
    <PasswordInput
      {...props}
      label={label}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': `${fields.show}: ${label}` }}
    />
  );
}
