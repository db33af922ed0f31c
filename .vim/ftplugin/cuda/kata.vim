" kata in vim. :make checks the open file; Ctrl-J after the name of a snippet expands it.
" docs/install.md says how to load this file. The snippets are those of VS Code.
if !has('eval')
  finish
endif

let s:root = expand('<sfile>:p:h:h:h:h')
let s:launcher = s:root . '/harness/kata'
let s:kata = executable(s:launcher) ? s:launcher : 'kata'
let &l:makeprg = fnameescape(s:kata) . ' --plain check %:S'
inoremap <buffer> <silent> <C-J> <C-R>=<SID>Expand()<CR>
let b:undo_ftplugin = get(b:, 'undo_ftplugin', 'exe') . ' | setlocal makeprg< | iunmap <buffer> <C-J>'

if exists('s:snippets')
  finish
endif
let s:snippets = {}
for s:one in values(json_decode(join(readfile(s:root . '/.vscode/kata.code-snippets'))))
  let s:snippets[s:one.prefix] = type(s:one.body) == v:t_list ? join(s:one.body, "\n") : s:one.body
endfor

" Each ${1:name} and $1 is `name`; the cursor goes to $0, else behind the text.
function s:Expand() abort
  let line = getline('.')
  let before = strpart(line, 0, col('.') - 1)
  let word = matchstr(before, '\k\+$')
  if !has_key(s:snippets, word)
    return "\<CR>"
  endif
  let text = substitute(s:snippets[word], "\n", "\n" . escape(matchstr(line, '^\s*'), '\'), 'g')
  for number in range(1, 9)
    let default = matchstr(text, '\${' . number . ':\zs[^}]*')
    let text = substitute(text, '\${' . number . ':[^}]*}\|\$' . number . '\>', default, 'g')
  endfor
  let parts = split(text, '\$0', 1)
  let head = split(strpart(before, 0, strlen(before) - strlen(word)) . parts[0], "\n", 1)
  let tail = split(get(parts, 1, '') . strpart(line, col('.') - 1), "\n", 1)
  call setline('.', head[-1] . tail[0])
  call append(line('.') - 1, head[:-2])
  call append('.', tail[1:])
  call cursor(line('.'), strlen(head[-1]) + 1)
  return ''
endfunction
