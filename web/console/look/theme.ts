/** Mantine with the type, the colours and the shapes of the candidate's pages. */
import {
  ActionIcon,
  Button,
  Menu,
  Modal,
  MultiSelect,
  PasswordInput,
  Select,
  TextInput,
  createTheme,
} from '@mantine/core';
import type {
  CSSVariablesResolver,
  MantineColorsTuple,
  VariantColorsResolver,
} from '@mantine/core';

/** The eighth is the accent of tokens.css; what is shown takes the variables below. */
const ACCENT: MantineColorsTuple = [
  '#eef5f2',
  '#dde8dd',
  '#bdd8cc',
  '#93cfb9',
  '#6fb69d',
  '#4c9a82',
  '#357d68',
  '#286b58',
  '#1d5a4b',
  '#16483c',
];

/** A colour of the theme for each use; `red` is for what cannot be taken back. */
const variantColors: VariantColorsResolver = ({ color, variant }) => {
  const isRed = color === 'red';
  const accent = isRed ? 'var(--red)' : 'var(--accent)';
  switch (variant) {
    case 'filled':
      return {
        background: accent,
        hover: isRed ? 'color-mix(in oklab, var(--red), var(--ink) 12%)' : 'var(--accent-strong)',
        color: isRed ? 'var(--on-red)' : 'var(--on-accent)',
        border: '1px solid transparent',
      };
    case 'default':
      return {
        background: 'transparent',
        hover: 'var(--tint)',
        color: isRed ? 'var(--red)' : 'var(--ink)',
        border: '1px solid var(--field-line)',
      };
    default:
      return {
        background: 'transparent',
        hover: 'var(--tint)',
        color: isRed ? 'var(--red)' : 'var(--ink)',
        border: '1px solid transparent',
      };
  }
};

const FIELD = { size: 'md', radius: 'md' } as const;

export const theme = createTheme({
  primaryColor: 'accent',
  primaryShade: { light: 8, dark: 8 },
  colors: { accent: ACCENT },
  variantColorResolver: variantColors,
  fontFamily: 'var(--sans)',
  headings: { fontFamily: 'var(--serif)', fontWeight: '600' },
  fontSizes: { xs: '0.8125rem', sm: '0.875rem', md: '0.9375rem', lg: '1rem', xl: '1.125rem' },
  radius: { xs: '0.375rem', sm: '0.5rem', md: '0.75rem', lg: '1rem', xl: '2rem' },
  shadows: { md: 'var(--shadow)', lg: 'var(--shadow)', xl: 'var(--shadow)' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: Button.extend({ defaultProps: { radius: 'xl', size: 'md' } }),
    ActionIcon: ActionIcon.extend({
      defaultProps: { radius: 'xl', size: '2.5rem', variant: 'subtle' },
    }),
    TextInput: TextInput.extend({ defaultProps: FIELD }),
    PasswordInput: PasswordInput.extend({ defaultProps: FIELD }),
    Select: Select.extend({
      defaultProps: {
        ...FIELD,
        checkIconPosition: 'right',
        comboboxProps: { withinPortal: false },
      },
    }),
    MultiSelect: MultiSelect.extend({ defaultProps: FIELD }),
    Modal: Modal.extend({
      defaultProps: {
        centered: true,
        radius: 'lg',
        size: '30rem',
        padding: '1.5rem',
        transitionProps: { transition: 'fade-up', duration: 140 },
        overlayProps: { color: '#000', backgroundOpacity: 0.45 },
        // Outside of the page's landmarks a <header> would be its banner.
        attributes: { header: { role: 'presentation' } },
      },
    }),
    Menu: Menu.extend({
      defaultProps: {
        shadow: 'md',
        width: 240,
        transitionProps: { duration: 100 },
        // It stays in the landmark of its button.
        withinPortal: false,
        // Opens with the focus on its first item: a menu may contain no element without a role of menus.
        withInitialFocusPlaceholder: false,
      },
    }),
  },
});

const COLORS = {
  '--mantine-color-body': 'var(--paper)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-bright': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--soft)',
  '--mantine-color-placeholder': 'var(--soft)',
  '--mantine-color-error': 'var(--red)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-default': 'var(--card)',
  '--mantine-color-default-hover': 'var(--tint)',
  '--mantine-color-default-color': 'var(--ink)',
  '--mantine-color-default-border': 'var(--field-line)',
  '--mantine-primary-color-filled': 'var(--accent)',
  '--mantine-primary-color-filled-hover': 'var(--accent-strong)',
  '--mantine-primary-color-contrast': 'var(--on-accent)',
};

/** The same names in both schemes: tokens.css and scheme.css change what they stand for. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: COLORS,
  dark: COLORS,
});
