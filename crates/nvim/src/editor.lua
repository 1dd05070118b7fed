-- Runs in the user's editor, in one call: performs the requested action, and returns the state of the editor after it as JSON.
local ask = ...
local api, fn = vim.api, vim.fn
local MOST = 1024 * 1024
local MAXCOL = 2147483647

local function is_plain(win)
  return vim.bo[api.nvim_win_get_buf(win)].buftype == "" and api.nvim_win_get_config(win).relative == ""
end

-- Returns the window in which the user edits a file: not a terminal (Toolpost may run in one), a list or a floating window.
local function window()
  local here = api.nvim_get_current_win()
  local last = fn.win_getid(fn.winnr("#"))
  local all = { here }
  if last ~= 0 then
    table.insert(all, last)
  end
  vim.list_extend(all, api.nvim_tabpage_list_wins(0))
  for _, win in ipairs(all) do
    if is_plain(win) then
      return win
    end
  end
end

local function file(buf)
  local name = api.nvim_buf_get_name(buf)
  if vim.bo[buf].buftype == "" and name:sub(1, 1) == "/" then
    return name
  end
end

local function line(buf, row)
  return api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
end

-- Returns the column of the character that begins at a byte offset, counted from 1.
local function column(text, byte)
  return fn.strchars(text:sub(1, byte)) + 1
end

-- Returns the byte offset after the character that begins at a byte offset, including its combining characters.
local function behind(text, byte)
  return byte + math.max(#fn.matchstr(text, ".", byte), 1)
end

-- Returns the first and the last screen column of the character that begins at a byte offset.
local function columns(text, byte)
  local before = fn.strdisplaywidth(text:sub(1, byte))
  local letter = fn.matchstr(text, ".", byte)
  return before + 1, before + math.max(fn.strdisplaywidth(letter, before), 1)
end

-- Returns the text in a block selection: the part of each line between two screen columns.
local function block(buf, first, last, left, right)
  local parts = {}
  for row = first, last do
    local text, part, at = line(buf, row), {}, 1
    for _, letter in ipairs(fn.split(text, "\\zs")) do
      local width = fn.strdisplaywidth(letter, at - 1)
      if at + width > left and at <= right then
        table.insert(part, letter)
      end
      at = at + width
    end
    table.insert(parts, table.concat(part))
  end
  return table.concat(parts, "\n")
end

-- Returns the selection of the current window, or else its last one: rows and byte offsets from 0; the end offset is exclusive.
local function selected(buf, is_current)
  local mode = is_current and fn.mode() or "n"
  local sight = "current"
  local from, to
  if mode == "v" or mode == "V" or mode == "\22" then
    from, to = fn.getpos("v"), fn.getpos(".")
  else
    mode, sight = fn.visualmode(), "last"
    from, to = fn.getpos("'<"), fn.getpos("'>")
  end
  local count = api.nvim_buf_line_count(buf)
  if mode == "" or from[2] == 0 or to[2] == 0 or from[2] > count or to[2] > count then
    return nil
  end
  if from[2] > to[2] or (from[2] == to[2] and from[3] > to[3]) then
    from, to = to, from
  end
  local found = { sight = sight, first = from[2] - 1, last = to[2] - 1, from = from[3] - 1 }
  local text = line(buf, found.last)
  if mode == "V" then
    found.shape, found.from, found.to = "lines", 0, #text
    found.text = table.concat(api.nvim_buf_get_lines(buf, found.first, found.last + 1, false), "\n") .. "\n"
    return found
  end
  if mode == "\22" then
    found.shape = "block"
    local a, b = columns(line(buf, found.first), from[3] - 1)
    local c, d = columns(text, to[3] - 1)
    local left, right = math.min(a, c), math.max(b, d)
    if sight == "current" and fn.getcurpos()[5] == MAXCOL or to[3] >= MAXCOL then
      right = MAXCOL
    end
    found.text = block(buf, found.first, found.last, left, right)
    found.from = math.min(found.from, #line(buf, found.first))
    found.to = math.min(behind(text, math.min(to[3] - 1, #text)), #text)
    return found
  end
  found.shape = "characters"
  found.from = math.min(found.from, #line(buf, found.first))
  local last = to[3] - 1
  if vim.o.selection == "exclusive" then
    found.to = math.min(last, #text)
  elseif last >= #text then
    -- The line break is selected, too.
    found.to, found.breaks = #text, found.last + 1 < count
  else
    found.to = behind(text, last)
  end
  local parts = api.nvim_buf_get_text(buf, found.first, found.from, found.last, found.to, {})
  found.text = table.concat(parts, "\n") .. (found.breaks and "\n" or "")
  return found
end

-- Returns the position of the cursor. Outside insert mode, Neovim moves a cursor that is put after the end of a line back onto
-- the line. The requested position then counts until the text or the cursor changes.
local function cursor(win, buf)
  local at = api.nvim_win_get_cursor(win)
  local kept = vim.g.toolpost_cursor
  local holds = kept and kept.buf == buf and kept.tick == api.nvim_buf_get_changedtick(buf)
  if holds and kept.row == at[1] and kept.shown == at[2] then
    return at[1], kept.byte
  end
  return at[1], at[2]
end

local function put(win, buf, row, byte)
  api.nvim_win_set_cursor(win, { math.min(row, api.nvim_buf_line_count(buf)), byte })
  local at = api.nvim_win_get_cursor(win)
  local tick = api.nvim_buf_get_changedtick(buf)
  vim.g.toolpost_cursor = { buf = buf, tick = tick, row = at[1], shown = at[2], byte = at[1] == row and byte or at[2] }
end

local function standing()
  local win = window()
  local answer = { open = {}, notes = {} }
  for _, info in ipairs(fn.getbufinfo({ buflisted = 1 })) do
    local name = file(info.bufnr)
    if name then
      table.insert(answer.open, { name = name, unsaved = info.changed == 1 })
    end
  end
  local buf = win and api.nvim_win_get_buf(win)
  local name = buf and file(buf)
  if not name then
    answer.cursor, answer.token = { line = 1, column = 1 }, "none"
    return answer
  end
  local row, byte = cursor(win, buf)
  answer.active = name
  answer.cursor = { line = row, column = column(line(buf, row - 1), byte) }
  local is_current = win == api.nvim_get_current_win()
  local found = api.nvim_win_call(win, function()
    return selected(buf, is_current)
  end)
  local marks = ""
  if found then
    marks = table.concat({ found.sight, found.shape, found.first, found.from, found.last, found.to }, ",")
    if #found.text > MOST then
      table.insert(answer.notes, "the selection is longer than a megabyte; only its beginning is shown")
      found.shown = found.text:sub(1, MOST):gsub("[\128-\255]*$", "")
    end
    local over = found.shape == "lines" or found.breaks
    answer.selection = {
      from = { line = found.first + 1, column = column(line(buf, found.first), found.from) },
      to = over and { line = found.last + 2, column = 1 }
        or { line = found.last + 1, column = column(line(buf, found.last), found.to) },
      text = found.shown or found.text,
      shape = found.shape,
      sight = found.sight,
    }
  end
  local tick = api.nvim_buf_get_changedtick(buf)
  answer.token = table.concat({ buf, tick, row, byte, marks }, ":")
  return answer, win, buf, found
end

local function lines(content)
  return vim.split(content, "\n", { plain = true })
end

local acts = {}

function acts.look() end

function acts.open()
  local buf = fn.bufadd(ask.file)
  local short = vim.o.shortmess
  -- Suppresses the prompt about a swap file of another editor, because Toolpost could not answer the prompt.
  vim.o.shortmess = short .. "A"
  local loaded, why = pcall(fn.bufload, buf)
  vim.o.shortmess = short
  assert(loaded, why)
  vim.bo[buf].buflisted = true
  local win = window()
  if not win then
    vim.cmd("split")
    win = api.nvim_get_current_win()
  end
  api.nvim_win_call(win, function()
    vim.cmd("normal! m'")
  end)
  api.nvim_win_set_buf(win, buf)
  local terminal = vim.bo[api.nvim_get_current_buf()].buftype == "terminal"
  if not terminal then
    api.nvim_set_current_win(win)
  end
  if type(ask.line) == "number" then
    api.nvim_win_set_cursor(win, { math.min(ask.line, api.nvim_buf_line_count(buf)), 0 })
  end
end

acts["goto"] = function()
  local _, win, buf = standing()
  assert(win, "no file is shown")
  local row = math.min(ask.line, api.nvim_buf_line_count(buf))
  local text = line(buf, row - 1)
  local byte = row == ask.line and fn.byteidxcomp(text, ask.column - 1) or 0
  api.nvim_win_call(win, function()
    vim.cmd("normal! m'")
  end)
  put(win, buf, row, byte < 0 and #text or byte)
end

local function unchanged()
  local answer, win, buf, found = standing()
  if answer.token ~= ask.token then
    return nil
  end
  return answer, win, buf, found
end

function acts.insert()
  local answer, win, buf = unchanged()
  if not answer then
    return "moved"
  end
  local row, byte = cursor(win, buf)
  local new = lines(ask.content)
  api.nvim_buf_set_text(buf, row - 1, byte, row - 1, byte, new)
  put(win, buf, row + #new - 1, #new[#new] + (#new == 1 and byte or 0))
end

function acts.replace()
  local answer, win, buf, found = unchanged()
  if not answer or not found then
    return "moved"
  end
  if found.sight == "current" then
    vim.cmd("normal! \27")
  end
  local new = lines(ask.content)
  local row = found.first
  if found.shape == "lines" then
    if #new > 1 and new[#new] == "" then
      table.remove(new)
    end
    api.nvim_buf_set_lines(buf, found.first, found.last + 1, false, ask.content == "" and {} or new)
    put(win, buf, row + 1, 0)
    return
  end
  local last, to = found.last, found.to
  if found.breaks then
    last, to = last + 1, 0
  end
  api.nvim_buf_set_text(buf, found.first, found.from, last, to, new)
  put(win, buf, row + #new, #new[#new] + (#new == 1 and found.from or 0))
end

local seconds, micro = (vim.uv or vim.loop).gettimeofday()
local refused = "late"
if seconds + micro / 1000000 <= ask.by then
  refused = acts[ask.act]()
end
local answer = standing()
answer.refused = refused
return vim.json.encode(answer)
